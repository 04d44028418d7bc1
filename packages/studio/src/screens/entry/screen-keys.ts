/** The screens on which entries were begun, by the documentId that these got: they go on as they are. */
const begunOn = new Map<string, string>()
let begun = 1

/** What React tells the screen of an entry from others by. */
export function screenKeyOf(documentId: string): string {
  return documentId === 'new' ? `new ${begun}` : (begunOn.get(documentId) ?? documentId)
}

/** The entry that was begun on this screen is there now; the next one has a screen of its own. */
export function noteCreated(documentId: string): void {
  begunOn.set(documentId, `new ${begun}`)
  begun += 1
}
