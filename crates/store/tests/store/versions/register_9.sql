-- A program of schema 9 stores the source's words of a corrected name and address. All fictitious.
update companies set name_text = 'UDAHARAN TEXTILES PRIVATELIMITED' where cin = 'U17110MH2001PTC990501';
