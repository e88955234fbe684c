-- How far judges and labellers agree.
from judging_agreement
