select k, repeated_enough, pass_at_k, pass_at_k_low, pass_at_k_high, pass_hat_k, pass_hat_k_low, pass_hat_k_high from pass_at_k where run_id = $id order by k
