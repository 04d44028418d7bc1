import {
  type ChangeSpec,
  EditorSelection,
  type EditorState,
  type Line,
  type TransactionSpec,
} from '@codemirror/state'

export const MARKDOWN_TOOLS = [
  'bold',
  'italic',
  'code',
  'link',
  'heading',
  'unordered',
  'ordered',
  'quote',
  'codeBlock',
] as const

export type MarkdownTool = (typeof MARKDOWN_TOOLS)[number]

/** The change that a tool makes to the selection. A second use takes the markup away again. */
export function applyTool(state: EditorState, tool: MarkdownTool): TransactionSpec {
  return { ...CHANGES[tool](state), scrollIntoView: true, userEvent: 'input' }
}

const CHANGES: Readonly<Record<MarkdownTool, (state: EditorState) => TransactionSpec>> = {
  bold: (state) => toggleAround(state, '**'),
  italic: (state) => toggleAround(state, '_'),
  code: (state) => toggleAround(state, '`'),
  link: linkSelection,
  heading: (state) => togglePrefix(state, /^#{1,6} /, () => '## '),
  unordered: (state) => togglePrefix(state, /^[-*+] /, () => '- ', /^\d+[.)] /),
  ordered: (state) => togglePrefix(state, /^\d+[.)] /, (index) => `${index + 1}. `, /^[-*+] /),
  quote: (state) => togglePrefix(state, /^> ?/, () => '> '),
  codeBlock: fenceLines,
}

function toggleAround(state: EditorState, mark: string): TransactionSpec {
  return state.changeByRange(({ from, to }) => {
    const size = mark.length
    const isMarked =
      state.sliceDoc(from - size, from) === mark && state.sliceDoc(to, to + size) === mark
    if (isMarked) {
      const changes = [
        { from: from - size, to: from },
        { from: to, to: to + size },
      ]
      return { changes, range: EditorSelection.range(from - size, to - size) }
    }
    const changes = [
      { from, insert: mark },
      { from: to, insert: mark },
    ]
    return { changes, range: EditorSelection.range(from + size, to + size) }
  })
}

/** Without a selection, the cursor goes to the text of the link, else to its address. */
function linkSelection(state: EditorState): TransactionSpec {
  const { from, to, empty } = state.selection.main
  return {
    changes: [
      { from, insert: '[' },
      { from: to, insert: ']()' },
    ],
    selection: { anchor: empty ? from + 1 : to + '[]('.length },
  }
}

function selectedLines(state: EditorState): readonly Line[] {
  const { from, to } = state.selection.main
  const first = state.doc.lineAt(from).number
  const last = state.doc.lineAt(to).number
  return Array.from({ length: last - first + 1 }, (_, index) => state.doc.line(first + index))
}

/** `instead` is markup that the new one replaces. */
function togglePrefix(
  state: EditorState,
  has: RegExp,
  make: (index: number) => string,
  instead?: RegExp,
): TransactionSpec {
  const all = selectedLines(state)
  const written = all.filter(({ text }) => text.trim() !== '')
  const lines = written.length === 0 ? all : written
  const isMarked = lines.every(({ text }) => has.test(text))
  const changes = lines.map(({ from, text }, index): ChangeSpec => {
    const old = has.exec(text)?.[0] ?? instead?.exec(text)?.[0] ?? ''
    return { from, to: from + old.length, insert: isMarked ? '' : make(index) }
  })
  const set = state.changes(changes)
  const { anchor, head } = state.selection.main
  return { changes: set, selection: { anchor: set.mapPos(anchor, 1), head: set.mapPos(head, 1) } }
}

function fenceLines(state: EditorState): TransactionSpec {
  const lines = selectedLines(state)
  const from = lines[0]?.from ?? 0
  const to = lines.at(-1)?.to ?? from
  const around = fencesAround(state, from, to)
  if (around !== null) return { changes: around }
  const fence = fenceFor(state.sliceDoc(from, to))
  const { anchor, head } = state.selection.main
  const shift = fence.length + 1
  return {
    changes: [
      { from, insert: `${fence}\n` },
      { from: to, insert: `\n${fence}` },
    ],
    selection: { anchor: anchor + shift, head: head + shift },
  }
}

/** The removal of the fences before and after these lines; null without both. */
function fencesAround({ doc }: EditorState, from: number, to: number): ChangeSpec | null {
  if (from === 0 || to === doc.length) return null
  const before = doc.lineAt(from - 1)
  const after = doc.lineAt(to + 1)
  if (!before.text.startsWith('```') || !after.text.startsWith('```')) return null
  return [
    { from: before.from, to: from },
    { from: to, to: after.to },
  ]
}

/** Longer than each fence within the code. */
function fenceFor(code: string): string {
  const longest = Math.max(2, ...[...code.matchAll(/^`{3,}/gm)].map(([fence]) => fence.length))
  return '`'.repeat(longest + 1)
}
