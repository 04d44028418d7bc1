import Joi from 'joi'

const ADDRESS = Joi.string()
  .max(255)
  .email({ tlds: { allow: false } })

/** Returns null if it is not a plain address. */
export function claimedAddress(claim: unknown): string | null {
  if (typeof claim !== 'string' || ADDRESS.validate(claim).error !== undefined) return null
  const address = claim.toLowerCase()
  // The lower case of the Kelvin sign is an ASCII k, which another mailbox may have.
  return countOthers(claim) === countOthers(address) ? address : null
}

function countOthers(address: string): number {
  return address.replaceAll(/[ -~]+/g, '').length
}
