"""What to do about each of aiokafka's errors: one table, and a test that it is complete."""

from __future__ import annotations

import enum

from aiokafka.errors import KafkaError

# What a Kafka client raises when it cannot do what it should: aiokafka's own, and those of the network and of files.
FAILURES: tuple[type[Exception], ...] = (KafkaError, OSError)


class Kind(enum.Enum):
    """RETRYABLE: the same producer may manage it later. RENEW: a new producer may. REFUSED: this one result will never
    be taken, others will. PERMANENT: no result will be taken, by any producer, until someone changes something."""

    RETRYABLE = "retryable"
    RENEW = "renew"
    REFUSED = "refused"
    PERMANENT = "permanent"


_RETRYABLE = """
    BrokerNotAvailableError Cancelled ConcurrentTransactions     CorrelationIdError CorruptRecordException GroupCoordinatorNotAvailableError GroupLoadInProgressError
    KafkaConnectionError KafkaProtocolError KafkaStorageError KafkaTimeoutError KafkaUnavailableError
    LeaderNotAvailableError LogDirNotFound MetadataEmptyBrokerList NoBrokersAvailable NodeNotReadyError
    NotControllerError NotCoordinatorForGroupError NotEnoughReplicasAfterAppendError
    NotEnoughReplicasError NotLeaderForPartitionError OperationNotAttempted QuotaViolationError ReassignmentInProgress
    RebalanceInProgressError ReplicaNotAvailableError RequestTimedOutError StaleControllerEpochError
    StaleLeaderEpochCodeError StaleMetadata TooManyInFlightRequests UnknownError UnknownTopicOrPartitionError
"""
# After these aiokafka's idempotent producer takes nothing more. The bare KafkaError is what its sender dies of.
_RENEW = """
    IllegalStateError InvalidProducerEpoch InvalidProducerIdMapping InvalidTxnState KafkaError OutOfOrderSequenceNumber
    ProducerClosed ProducerFenced TransactionCoordinatorFenced UnknownProducerId
"""
_REFUSED = """
    DuplicateSequenceNumber InvalidTimestampError MessageSizeTooLargeError RecordListTooLargeError
    RecordTooLargeError
"""
_PERMANENT = """
    AuthenticationFailedError AuthenticationMethodNotSupported BrokerResponseError ClusterAuthorizationFailedError
    CommitFailedError DelegationTokenAuthDisabled DelegationTokenAuthorizationFailed DelegationTokenExpired
    DelegationTokenNotFound DelegationTokenOwnerMismatch DelegationTokenRequestNotAllowed FetchSessionIdNotFound
    GroupAuthorizationFailedError GroupIdNotFound IllegalArgumentError IllegalGenerationError IllegalSaslStateError
    IncompatibleBrokerVersion InconsistentGroupProtocolError InvalidCommitOffsetSizeError InvalidConfigurationError
    InvalidFetchRequestError InvalidFetchSessionEpoch InvalidGroupIdError InvalidPartitionsError InvalidPrincipalType
    InvalidReplicationAssignmentError InvalidReplicationFactorError InvalidRequestError InvalidRequiredAcksError
    InvalidSessionTimeoutError InvalidTopicError InvalidTransactionTimeout KafkaConfigurationError ListenerNotFound
    MemberIdRequired NoError NoOffsetForPartitionError NonEmptyGroup OffsetMetadataTooLargeError OffsetOutOfRangeError
    PolicyViolationError SaslAuthenticationFailed SecurityDisabled TopicAlreadyExistsError TopicAuthorizationFailedError
    TransactionalIdAuthorizationFailed UnknownMemberIdError UnrecognizedBrokerVersion UnsupportedCodecError
    UnsupportedForMessageFormatError UnsupportedSaslMechanismError UnsupportedVersionError
"""
TABLE: dict[str, Kind] = {
    name: kind
    for kind, names in (
        (Kind.RETRYABLE, _RETRYABLE),
        (Kind.RENEW, _RENEW),
        (Kind.REFUSED, _REFUSED),
        (Kind.PERMANENT, _PERMANENT),
    )
    for name in names.split()
}


def kind_of(error: Exception) -> Kind:
    """What to do about an error of aiokafka or of the network. One that a newer aiokafka has brought says itself."""
    if not isinstance(error, KafkaError):
        return Kind.RETRYABLE
    known = TABLE.get(type(error).__name__)
    if known is None:
        return Kind.RETRYABLE if error.retriable else Kind.PERMANENT
    return known
