export interface Notes {
  add(sentence: string, where: string): void
  /** One sentence each, with its count and first place. */
  all(): readonly string[]
}

const MAX_POSITIONS = 3

export function openNotes(): Notes {
  const found = new Map<string, { count: number; places: string[] }>()
  return {
    add: (sentence, where) => {
      const note = found.get(sentence) ?? { count: 0, places: [] }
      found.set(sentence, note)
      note.count += 1
      const isNew = where !== '' && !note.places.includes(where)
      if (isNew && note.places.length < MAX_POSITIONS) note.places.push(where)
    },
    all: () =>
      [...found].map(([sentence, { count, places }]) => {
        const where =
          places.length === 0 ? '' : `: ${places.join(', ')}${count > places.length ? ' …' : ''}`
        return `${sentence}${count > 1 ? ` (${count} times)` : ''}${where}`
      }),
  }
}
