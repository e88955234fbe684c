select wrong_answers, pi_intra, pi_intra_low, pi_intra_high, pi_cross from error_decomposition where run_id = $id
