-- Wrong answers of a run within the category of the target (pi_intra) and outside (pi_cross), with 95% intervals.
select wrong_answers, pi_intra, pi_intra_low, pi_intra_high, pi_cross, 1 - pi_intra_high as pi_cross_low, 1 - pi_intra_low as pi_cross_high
from error_decomposition where run_id = $run_id and wrong_answers > 0
