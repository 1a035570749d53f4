"""The probe: gated cases sent to a RAG service on a schedule, scored with their references."""
