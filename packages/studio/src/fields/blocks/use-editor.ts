import { type RefObject, useEffect, useReducer, useRef, useState } from 'react'
import type { InputNames } from '../frame/field-frame.tsx'
import {
  type Blocks,
  type BlocksEditorOptions,
  type Editor,
  openBlocksEditor,
  setBlocks,
} from './open-blocks-editor.ts'
import type { TableKit } from './table-kit.ts'

export interface BlocksAreaProps {
  readonly blocks: Blocks
  readonly names: InputNames
  readonly isReadOnly: boolean
  readonly canInsertTables: boolean
  /** Absent for texts without tables. Does not change. */
  readonly tables?: TableKit
  readonly onChange: (blocks: Blocks) => void
}

export interface EditorHandlers extends Pick<
  BlocksEditorOptions,
  'onLink' | 'onFiles' | 'onPicturesLeftOut' | 'onMoved'
> {
  readonly onTransaction: (editor: Editor, hasChanged: boolean) => void
  readonly onKey: (editor: Editor, key: string) => boolean
}

/** The editor of a field, which renders again after each transaction. */
export function useEditor(
  host: RefObject<HTMLDivElement | null>,
  props: BlocksAreaProps,
  handlers: EditorHandlers,
): Editor | null {
  const { blocks, names, isReadOnly, canInsertTables, tables = null } = props
  const [editor, setEditor] = useState<Editor | null>(null)
  const [, redraw] = useReducer((turn: number) => turn + 1, 0)
  const latest = useRef({ props, handlers })
  latest.current = { props, handlers }
  const last = useRef(blocks)
  const [named] = useState(() => ({ id: names.id, 'aria-labelledby': names['aria-labelledby'] }))
  useEffect(() => {
    if (host.current === null) return
    const opened: Editor = openBlocksEditor({
      host: host.current,
      blocks: last.current,
      isReadOnly,
      tables,
      canInsertTables,
      names: named,
      onChange: (next) => {
        last.current = next
        latest.current.props.onChange(next)
      },
      onTransaction: (at, hasChanged) => {
        redraw()
        latest.current.handlers.onTransaction(at, hasChanged)
      },
      onLink: () => latest.current.handlers.onLink(),
      onKey: (key) => latest.current.handlers.onKey(opened, key),
      onFiles: (files, at) => latest.current.handlers.onFiles(files, at),
      onPicturesLeftOut: () => latest.current.handlers.onPicturesLeftOut(),
      onMoved: (move) => latest.current.handlers.onMoved(move),
    })
    setEditor(opened)
    return () => opened.destroy()
  }, [host, isReadOnly, canInsertTables, tables, named])
  useEffect(() => {
    if (editor === null || blocks === last.current) return
    last.current = blocks
    setBlocks(editor, blocks)
  }, [editor, blocks])
  return editor
}
