"""What people said of answers: `record` is a label, `facts` what a result tells of an answer, `store` where labels are kept."""
