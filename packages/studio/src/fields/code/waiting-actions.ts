import { mapOffset, textDifferences } from '../text-difference.ts'
import type { CodeEditor, OffsetMap, TextSelection } from './code-editor.ts'

/** The part of the editor that finds the place of an action. */
export type ActedEditor = Pick<CodeEditor, 'getSelection' | 'select' | 'record'>

interface WaitingAction<E> {
  readonly run: (editor: E) => void
  readonly selection: TextSelection
  /** The selection was empty, and grows with text that is typed at it. */
  readonly grows: boolean
}

/**
 * Actions on an editor whose code has not loaded. Each one keeps the selection of its time, which
 * follows later changes of the text.
 */
export class WaitingActions<E extends ActedEditor = CodeEditor> {
  #actions: readonly WaitingAction<E>[] = []
  #text = ''

  /** `includesTyped`: at an empty selection, the action applies to text that is typed there later. */
  add(
    run: (editor: E) => void,
    { text, selection }: { readonly text: string; readonly selection: TextSelection },
    includesTyped: boolean,
  ): void {
    this.follow(text)
    const grows = includesTyped && selection.anchor === selection.head
    this.#actions = [...this.#actions, { run, selection, grows }]
  }

  /** Reports a change of the text. */
  follow(text: string): void {
    if (this.#actions.length > 0 && text !== this.#text) {
      const changes = textDifferences(this.#text, text)
      this.#actions = movedActions(this.#actions, (offset, side) =>
        mapOffset(offset, changes, side),
      )
    }
    this.#text = text
  }

  /** Runs and forgets the actions. The cursor stays, unless an action was for its selection. */
  runOn(editor: E): void {
    let rest = this.#actions
    this.#actions = []
    let cursor = editor.getSelection()
    for (let first = rest[0]; first !== undefined; first = rest[0]) {
      const { selection } = first
      const isSame = ({ anchor, head }: TextSelection): boolean =>
        anchor === selection.anchor && head === selection.head
      editor.select(selection)
      const end = rest.findIndex((one) => !isSame(one.selection))
      // The second tool for a selection continues within the markup of the first.
      const own = end === -1 ? rest : rest.slice(0, end)
      const map = editor.record(() => {
        for (const { run } of own) run(editor)
      })
      cursor = isSame(cursor) ? editor.getSelection() : movedSelection(cursor, map, false)
      rest = movedActions(rest.slice(own.length), map)
      if (rest.length === 0) editor.select(cursor)
    }
  }
}

function movedActions<E>(
  actions: readonly WaitingAction<E>[],
  map: OffsetMap,
): readonly WaitingAction<E>[] {
  return actions.map((action) => {
    const selection = movedSelection(action.selection, map, action.grows)
    return { ...action, selection }
  })
}

/** Text that is typed at an end of selected text stays outside. */
function movedSelection(
  { anchor, head }: TextSelection,
  map: OffsetMap,
  grows: boolean,
): TextSelection {
  return {
    anchor: map(anchor, grows || anchor === head ? 'before' : 'after'),
    head: map(head, grows ? 'after' : 'before'),
  }
}
