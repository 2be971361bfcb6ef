-- The name and the address in the source's words, where the stored ones were corrected.

alter table companies add column name_text text;
alter table companies add column address_text text;
