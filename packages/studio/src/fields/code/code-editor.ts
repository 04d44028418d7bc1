import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { json, jsonParseLinter } from '@codemirror/lang-json'
import { markdown } from '@codemirror/lang-markdown'
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { type Diagnostic, linter } from '@codemirror/lint'
import { EditorState, type Extension } from '@codemirror/state'
import { EditorView, type KeyBinding, keymap } from '@codemirror/view'
import { tags } from '@lezer/highlight'

export type CodeLanguage = 'markdown' | 'json'

export interface CodeEditorOptions {
  readonly language: CodeLanguage
  readonly text: string
  readonly isReadOnly: boolean
  readonly label: string
  readonly onChange: (text: string) => void
}

export interface CodeEditor {
  /** Sets a text from elsewhere; ignored if the editor already has it. */
  readonly setText: (text: string) => void
  readonly focus: () => void
  readonly destroy: () => void
}

/**
 * The editor is in a shadow root, where its styles need no `style` element, which the CSP of the
 * page forbids.
 */
export function openCodeEditor(host: HTMLElement, options: CodeEditorOptions): CodeEditor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open', delegatesFocus: true })
  let isSetting = false
  const view = new EditorView({
    root,
    parent: root as unknown as Element,
    state: EditorState.create({
      doc: options.text,
      extensions: [
        history(),
        keymap.of([...formatting(options.language), ...defaultKeymap, ...historyKeymap]),
        EditorView.lineWrapping,
        EditorState.readOnly.of(options.isReadOnly),
        EditorView.contentAttributes.of({ 'aria-label': options.label, spellcheck: 'true' }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !isSetting) options.onChange(update.state.doc.toString())
        }),
        look,
        syntaxHighlighting(colours),
        languageOf(options.language),
      ],
    }),
  })
  return {
    setText: (text) => {
      const { doc } = view.state
      if (doc.toString() === text) return
      isSetting = true
      view.dispatch({ changes: { from: 0, to: doc.length, insert: text } })
      isSetting = false
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  }
}

/** Tab is not bound, so that it moves to the next field. */
function formatting(language: CodeLanguage): readonly KeyBinding[] {
  if (language === 'json') return []
  return [
    { key: 'Mod-b', run: wrapIn('**') },
    { key: 'Mod-i', run: wrapIn('_') },
    { key: 'Mod-k', run: linkSelection },
  ]
}

function wrapIn(mark: string) {
  return (view: EditorView): boolean => {
    const { from, to } = view.state.selection.main
    view.dispatch({
      changes: [
        { from, insert: mark },
        { from: to, insert: mark },
      ],
      selection: { anchor: from + mark.length, head: to + mark.length },
    })
    return true
  }
}

function linkSelection(view: EditorView): boolean {
  const { from, to, empty } = view.state.selection.main
  if (empty) return false
  view.dispatch({
    changes: [
      { from, insert: '[' },
      { from: to, insert: ']()' },
    ],
    selection: { anchor: to + '[]('.length },
  })
  return true
}

function languageOf(language: CodeLanguage): Extension {
  return language === 'markdown' ? markdown() : [json(), linter(lintJson)]
}

const lintText = jsonParseLinter()

/** An empty field is null, not malformed JSON. */
function lintJson(view: EditorView): readonly Diagnostic[] {
  return view.state.doc.toString().trim() === '' ? [] : lintText(view)
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
