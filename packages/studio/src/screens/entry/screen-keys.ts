/**
 * The React keys of screens on which entries were created, by documentId. These screens must not
 * remount.
 */
const begunOn = new Map<string, string>()
let begun = 1

export function screenKeyOf(documentId: string): string {
  return documentId === 'new' ? `new ${begun}` : (begunOn.get(documentId) ?? documentId)
}

/** Keeps the screen of a new entry for its documentId. The next new entry gets another screen. */
export function noteCreated(documentId: string): void {
  begunOn.set(documentId, `new ${begun}`)
  begun += 1
}
