import { useEffect, useReducer, useRef, useState } from 'react'
import styles from './blocks-area.module.css'
import { BlocksTools } from './blocks-tools.tsx'
import type { InputNames } from '../frame/field-frame.tsx'
import { type Blocks, type Editor, openBlocksEditor, setBlocks } from './open-blocks-editor.ts'

export interface BlocksAreaProps {
  readonly blocks: Blocks
  readonly names: InputNames
  readonly isReadOnly: boolean
  readonly onChange: (blocks: Blocks) => void
}

export function BlocksArea({ blocks, names, isReadOnly, onChange }: BlocksAreaProps) {
  const host = useRef<HTMLDivElement>(null)
  const [editor, setEditor] = useState<Editor | null>(null)
  const [isLinking, link] = useState(false)
  const [, redraw] = useReducer((turn: number) => turn + 1, 0)
  const change = useRef(onChange)
  change.current = onChange
  const last = useRef(blocks)
  const [named] = useState(() => ({ id: names.id, 'aria-labelledby': names['aria-labelledby'] }))
  useEffect(() => {
    if (host.current === null) return
    const opened = openBlocksEditor({
      host: host.current,
      blocks: last.current,
      isReadOnly,
      names: named,
      onChange: (next) => {
        last.current = next
        change.current(next)
      },
      onMove: redraw,
      onLink: () => link(true),
    })
    setEditor(opened)
    return () => opened.destroy()
  }, [isReadOnly, named])
  useEffect(() => {
    if (editor === null || blocks === last.current) return
    last.current = blocks
    setBlocks(editor, blocks)
  }, [editor, blocks])
  return (
    <div className={`${styles['area']} ${names['aria-invalid'] === true ? styles['invalid'] : ''}`}>
      {editor !== null && !isReadOnly && <BlocksTools {...{ editor, isLinking }} onLink={link} />}
      <div ref={host} className={styles['host']} />
    </div>
  )
}
