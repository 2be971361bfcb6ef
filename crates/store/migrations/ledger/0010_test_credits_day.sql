-- The day that the test credits of a balance are valid for.
alter table balances rename column play_day to test_credits_day;
