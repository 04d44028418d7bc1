import { defaultKeymap, history, historyKeymap, isolateHistory } from '@codemirror/commands'
import { markdownKeymap, markdownLanguage, pasteURLAsLink } from '@codemirror/lang-markdown'
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { type ChangeDesc, EditorState, type Extension, Prec, Transaction } from '@codemirror/state'
import { EditorView, type KeyBinding, keymap } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { picturesIn } from '../media/pictures-in.ts'
import { textDifferences } from '../text-difference.ts'
import { applyTool, type MarkdownTool } from './markdown-commands.ts'

export type CodeLanguage = 'markdown' | 'json'

/** Offsets in the text. */
export interface TextSelection {
  readonly anchor: number
  readonly head: number
}

/** The offset in a changed text. `side` is its side of text that is inserted exactly there. */
export type OffsetMap = (offset: number, side: 'before' | 'after') => number

export interface CodeEditorOptions {
  readonly language: CodeLanguage
  readonly text: string
  /** Default: the start of the text. */
  readonly selection?: TextSelection
  readonly isReadOnly: boolean
  readonly label: string
  readonly onChange: (text: string) => void
  /** Receives pasted and dropped files. `hold` remembers their position. */
  readonly onFiles?: ((files: readonly File[], hold: () => number) => void) | undefined
  /** The key of the picture tool was pressed. */
  readonly onPicture?: (() => void) | undefined
}

export interface CodeEditor {
  /** Sets a text from elsewhere, which undo does not take back. */
  readonly setText: (text: string) => void
  readonly getSelection: () => TextSelection
  readonly select: (selection: TextSelection) => void
  /** Maps offsets from before the action to those after it. */
  readonly record: (action: () => void) => OffsetMap
  readonly apply: (tool: MarkdownTool) => void
  /** Remembers the position of the cursor, which follows later changes. Returns its number. */
  readonly hold: () => number
  /** Inserts a text at a held position, as one step of undo, and releases the position. */
  readonly insert: (held: number, text: string) => void
  readonly focus: () => void
  readonly destroy: () => void
}

/** Loads the language of the editor, and returns a function that opens the editor in an element. */
export async function loadCodeEditor(language: CodeLanguage) {
  const support = await loadLanguage(language)
  return (host: HTMLElement, options: CodeEditorOptions) => openIn(host, options, support)
}

/**
 * The editor is in a shadow root, where its styles need no `style` element, which the CSP of the
 * page forbids.
 */
function openIn(host: HTMLElement, options: CodeEditorOptions, support: Extension): CodeEditor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open', delegatesFocus: true })
  const held: number[] = []
  const hold = (at: number): number => held.push(at) - 1
  const recorder: Recorder = { changes: null }
  let isSetting = false
  const view = new EditorView({
    root,
    parent: root as unknown as Element,
    state: EditorState.create({
      doc: options.text,
      selection: options.selection ?? { anchor: 0 },
      extensions: [
        history(),
        keymap.of([...formatting(options), ...defaultKeymap, ...historyKeymap]),
        EditorView.lineWrapping,
        EditorState.readOnly.of(options.isReadOnly),
        EditorView.contentAttributes.of({ 'aria-label': options.label, spellcheck: 'true' }),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged) return
          recorder.changes?.push(update.changes.desc)
          for (const [index, at] of held.entries()) held[index] = update.changes.mapPos(at, 1)
          if (!isSetting) options.onChange(update.state.doc.toString())
        }),
        receiveFiles(options, hold),
        look,
        syntaxHighlighting(colours),
        support,
      ],
    }),
  })
  return {
    setText: (text) => {
      const changes = textDifferences(view.state.doc.toString(), text)
      if (changes.length === 0) return
      isSetting = true
      view.dispatch({ changes, annotations: Transaction.addToHistory.of(false) })
      isSetting = false
    },
    ...placeIn(view, recorder),
    apply: (tool) => view.dispatch(applyTool(view.state, tool)),
    hold: () => hold(view.state.selection.main.to),
    insert: (index, text) => {
      const from = Math.min(held[index] ?? view.state.doc.length, view.state.doc.length)
      view.dispatch({ changes: { from, insert: text }, annotations: isolateHistory.of('full') })
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  }
}

interface Recorder {
  /** The changes since the start of the recording. */
  changes: ChangeDesc[] | null
}

function placeIn(
  view: EditorView,
  recorder: Recorder,
): Pick<CodeEditor, 'getSelection' | 'select' | 'record'> {
  return {
    getSelection: () => {
      const { anchor, head } = view.state.selection.main
      return { anchor, head }
    },
    select: (selection) => view.dispatch({ selection }),
    record: (action) => {
      const changes: ChangeDesc[] = []
      recorder.changes = changes
      action()
      recorder.changes = null
      return (offset, side) =>
        changes.reduce((at, one) => one.mapPos(at, side === 'before' ? -1 : 1), offset)
    },
  }
}

function receiveFiles(
  { onFiles, isReadOnly }: CodeEditorOptions,
  hold: (at: number) => number,
): Extension {
  if (onFiles === undefined || isReadOnly) return []
  const take = (event: Event, data: DataTransfer | null, at: number): boolean => {
    const files = picturesIn(data)
    if (files.length === 0) return false
    event.preventDefault()
    onFiles(files, () => hold(at))
    return true
  }
  return EditorView.domEventHandlers({
    paste: (event, view) => take(event, event.clipboardData, view.state.selection.main.to),
    drop: (event, view) => {
      const at = view.posAtCoords({ x: event.clientX, y: event.clientY })
      return take(event, event.dataTransfer, at ?? view.state.doc.length)
    },
  })
}

const TOOL_KEYS: readonly { readonly key: string; readonly tool: MarkdownTool }[] = [
  { key: 'Mod-b', tool: 'bold' },
  { key: 'Mod-i', tool: 'italic' },
  { key: 'Mod-e', tool: 'code' },
  { key: 'Mod-Alt-2', tool: 'heading' },
  { key: 'Mod-Shift-8', tool: 'unordered' },
  { key: 'Mod-Shift-7', tool: 'ordered' },
  { key: 'Mod-Shift-9', tool: 'quote' },
  { key: 'Mod-Alt-c', tool: 'codeBlock' },
]

/** Tab is not bound, so that it moves to the next field. */
function formatting({ language, onPicture }: CodeEditorOptions): readonly KeyBinding[] {
  if (language === 'json') return []
  const apply =
    (tool: MarkdownTool) =>
    (view: EditorView): boolean => {
      if (view.state.readOnly) return false
      // Without a selection, this key opens the palette.
      if (tool === 'link' && view.state.selection.main.empty) return false
      view.dispatch(applyTool(view.state, tool))
      return true
    }
  return [
    ...TOOL_KEYS.map(({ key, tool }) => ({ key, run: apply(tool) })),
    { key: 'Mod-k', run: apply('link') },
    ...(onPicture === undefined ? [] : [{ key: 'Mod-Alt-p', run: () => (onPicture(), true) }]),
  ]
}

// `markdown()` would load the languages of HTML, CSS and scripts, too.
const MARKDOWN = [markdownLanguage, Prec.high(keymap.of(markdownKeymap)), pasteURLAsLink]

async function loadLanguage(language: CodeLanguage): Promise<Extension> {
  return language === 'json' ? (await import('./json-language.ts')).JSON_LANGUAGE : MARKDOWN
}

const look = EditorView.theme({
  '&': { fontSize: '14px', color: 'var(--ink)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--code-font)', lineHeight: '22px' },
  '.cm-content': { padding: '9px 0', minHeight: 'var(--code-height)', caretColor: 'var(--ink)' },
  '.cm-line': { padding: '0 12px' },
  '.cm-lintRange-error': { textDecoration: 'underline wavy var(--danger)' },
  '.cm-tooltip': {
    background: 'var(--sheet)',
    border: '1px solid var(--line)',
    borderRadius: '6px',
    color: 'var(--ink)',
  },
})

const colours = HighlightStyle.define([
  { tag: tags.heading, fontWeight: '650' },
  { tag: tags.strong, fontWeight: '650' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.strikethrough, textDecoration: 'line-through' },
  { tag: [tags.link, tags.url], color: 'var(--accent)' },
  { tag: [tags.processingInstruction, tags.contentSeparator, tags.meta], color: 'var(--ink-3)' },
  { tag: tags.monospace, fontFamily: 'var(--mono)', fontSize: '13px' },
  { tag: tags.quote, color: 'var(--ink-2)' },
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: [tags.string], color: 'var(--published)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--draft)' },
])
