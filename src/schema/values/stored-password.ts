/** Stands in a payload for a password that is stored already: no JSON spells it, and no rule asks anything of it. */
export const STORED_PASSWORD = Symbol('stored password')
