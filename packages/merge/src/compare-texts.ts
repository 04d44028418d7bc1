import { editsBetween, wordsOf } from './merge-text.ts'

export interface TextRun {
  readonly op: 'same' | 'added' | 'removed'
  readonly text: string
}

/** Compares two texts word by word. Texts with too many changed words have one change. */
export function compareTexts(from: string, to: string): readonly TextRun[] {
  const words = wordsOf(from)
  const runs: TextRun[] = []
  const add = (op: TextRun['op'], parts: readonly string[]): void => {
    if (parts.length > 0) runs.push({ op, text: parts.join('') })
  }
  let at = 0
  for (const edit of editsBetween(words, wordsOf(to))) {
    add('same', words.slice(at, edit.start))
    add('removed', words.slice(edit.start, edit.end))
    add('added', edit.words)
    at = edit.end
  }
  add('same', words.slice(at))
  return runs
}
