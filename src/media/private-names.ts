import { randomBytes } from 'node:crypto'

/** A public hash ends in `_` and ten hex digits, so no upload can take a name of this form. */
const PRIVATE_HASH = /(?:^|_)private_[0-9a-f]{32}$/i

export function newPrivateEnd(): string {
  return `private_${randomBytes(16).toString('hex')}`
}

/** A name of the private form, of which no address is made for readers. */
export function newOriginalHash(): string {
  return `original_${newPrivateEnd()}`
}

/**
 * Decides by the name alone, so that no request reads private bytes because a record is missing or
 * cached. Generations and variants follow a dash. Some file systems ignore the case of names.
 */
export function isPrivateName(name: string): boolean {
  return PRIVATE_HASH.test(name.split(/[-.]/, 1)[0] ?? '')
}
