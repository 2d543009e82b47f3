"""What an editor offers for a finding beyond the fix that the checker itself is sure of: `offers` is the
table by code, the other files hold one kind of repair each. An offer may need a look before it is kept, so
none of them is applied unasked."""
