import { Editor, type JSONContent } from '@tiptap/core'
import { Gapcursor } from '@tiptap/extensions/gap-cursor'
import { UndoRedo } from '@tiptap/extensions/undo-redo'
import { Fragment, Slice } from '@tiptap/pm/model'
import type { EditorProps, EditorView } from '@tiptap/pm/view'
import type { BlockNode } from '../../entry/block-text.ts'
import { picturesIn } from '../media/pictures-in.ts'
import type { EditorNode } from './blocks.ts'
import { fromEditor } from './from-editor.ts'
import { ListKeys, toggleList } from './list-commands.ts'
import { hasForeignPictures } from './image-html.ts'
import { MARKS } from './marks.ts'
import { type BlockMove, moveBlock } from './move-block.ts'
import { NODES } from './nodes.ts'
import { dispatchAsOneStep } from './one-step.ts'
import { cleanPastedHtml } from './paste-html.ts'
import { isWithinLimits, readSheet, sheetLines } from './read-sheet.ts'
import { replaceDifference } from './replace-difference.ts'
import type { TableKit } from './table-kit.ts'
import { toEditor } from './to-editor.ts'

export type Blocks = readonly BlockNode[] | null

export interface BlocksEditorOptions {
  readonly host: HTMLElement
  readonly blocks: Blocks
  readonly isReadOnly: boolean
  /** For texts that can hold tables, or hold one. */
  readonly tables: TableKit | null
  readonly canInsertTables: boolean
  readonly names: Readonly<Record<string, string>>
  readonly onChange: (blocks: Blocks) => void
  readonly onTransaction: (editor: Editor, hasChanged: boolean) => void
  readonly onLink: () => void
  /** Returns whether the key is handled. */
  readonly onKey: (key: string) => boolean
  /** Files were pasted or dropped at a position. */
  readonly onFiles: (files: readonly File[], at: number) => void
  /** A pasted text has pictures without files. */
  readonly onPicturesLeftOut: () => void
  readonly onMoved: (move: BlockMove) => void
}

export type { Editor }

export const EXTENSIONS = [...NODES, ...MARKS, ListKeys, UndoRedo, Gapcursor]

export function openBlocksEditor(options: BlocksEditorOptions): Editor {
  return new Editor({
    element: options.host,
    extensions: [...EXTENSIONS, ...(options.tables?.extensions(options.canInsertTables) ?? [])],
    content: toEditor(options.blocks) as JSONContent,
    editable: !options.isReadOnly,
    injectCSS: false, // forbidden by the CSP of the page
    enableContentCheck: true,
    editorProps: {
      attributes: { ...options.names, role: 'textbox', 'aria-multiline': 'true' },
      ...pasteProps(options),
      handleKeyDown: (view, event) => !options.isReadOnly && handleKey(view, event, options),
      handlePaste: (view, event) =>
        !options.isReadOnly && takeFiles(event.clipboardData, view.state.selection.to, options),
      handleDrop: (view, event, _slice, isMove) => {
        if (options.isReadOnly || isMove) return false
        const found = view.posAtCoords({ left: event.clientX, top: event.clientY })
        return takeFiles(event.dataTransfer, found?.pos ?? view.state.doc.content.size, options)
      },
    },
    onUpdate: ({ editor }) => options.onChange(fromEditor(editor.getJSON() as EditorNode)),
    onTransaction: ({ editor, transaction }) =>
      options.onTransaction(editor, transaction.docChanged),
  })
}

/** The editor then parses the text itself. Its types do not say so. */
const NOT_PARSED = null as unknown as Slice

/** Tables that the text does not take become lines. */
function pasteProps({ tables, canInsertTables }: BlocksEditorOptions): EditorProps {
  const kit = canInsertTables ? tables : null
  return {
    transformPastedHTML: (html) => cleanPastedHtml(html, kit?.keepTables),
    transformPastedText: (text, isPlain) => {
      const rows = isPlain ? null : readSheet(text)
      const isTable = rows !== null && kit !== null && isWithinLimits(rows)
      return rows === null || isTable ? text : sheetLines(rows)
    },
    clipboardTextParser: (text, _context, isPlain, { state: { schema } }) => {
      const rows = isPlain ? null : readSheet(text)
      if (rows === null || kit === null) return NOT_PARSED
      return new Slice(Fragment.from(kit.toTable(schema, rows)), 0, 0)
    },
  }
}

/** Returns whether there are files. Reports pictures without files. */
function takeFiles(
  data: DataTransfer | null,
  at: number,
  { onFiles, onPicturesLeftOut }: BlocksEditorOptions,
): boolean {
  const files = picturesIn(data)
  if (files.length > 0) onFiles(files, at)
  else if (hasForeignPictures(data)) onPicturesLeftOut()
  return files.length > 0
}

function handleKey(view: EditorView, event: KeyboardEvent, options: BlocksEditorOptions): boolean {
  const { key, isComposing } = event
  if (isComposing) return false
  const held = heldKeys(event)
  if (held === '') return options.onKey(key)
  if (held === 'alt') return moveByKey(view, key, options)
  const isLinkKey = held === 'mod' && key.toLowerCase() === 'k'
  if (!isLinkKey || view.state.selection.empty) return false
  options.onLink()
  return true
}

function heldKeys({ altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent): string {
  const held = [altKey && 'alt', (ctrlKey || metaKey) && 'mod', shiftKey && 'shift']
  return held.filter((one) => one !== false).join('+')
}

function moveByKey(view: EditorView, key: string, { onMoved }: BlocksEditorOptions): boolean {
  if (key !== 'ArrowUp' && key !== 'ArrowDown') return false
  const move = moveBlock(view.state, key === 'ArrowUp' ? -1 : 1)
  if (move === null) return true
  dispatchAsOneStep(view, move.transaction)
  onMoved(move)
  return true
}

/** Sets a value from elsewhere, which is not an edit of the user. */
export function setBlocks({ schema, state, view }: Editor, blocks: Blocks): void {
  const next = schema.nodeFromJSON(toEditor(blocks))
  next.check()
  const transaction = replaceDifference(state, next)
  if (transaction !== null) view.dispatch(transaction.setMeta('preventUpdate', true))
}

export function toggleListIn(editor: Editor, format: 'ordered' | 'unordered'): void {
  const transaction = toggleList(editor.state, format)
  if (transaction !== null) editor.view.dispatch(transaction)
  editor.view.focus()
}
