import { askForUid, type UidOwner } from '../../api/uid-proposals.ts'
import { slugOf } from './slug-of.ts'

/** The length limit of the server. */
const MAX_SLUG_LENGTH = 200

/** A free slug for the text of the target attribute. @throws ApiError */
export async function generateSlug(owner: UidOwner, target: string, text: string): Promise<string> {
  const value = slugOf(text).slice(0, MAX_SLUG_LENGTH)
  // The server generates a name for texts without Latin letters.
  const about = value === '' ? { data: { [target]: text } } : { value }
  return (await askForUid(owner, about)).proposal
}
