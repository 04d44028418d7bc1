import type { DragEvent, MouseEvent } from 'react'
import { useRef, useState } from 'react'
import type { Node } from '@tiptap/pm/model'
import { type BlockMove, moveBlockTo } from './move-block.ts'
import { dispatchAsOneStep } from './one-step.ts'
import type { Editor } from './open-blocks-editor.ts'

const BLOCK_TYPE = 'application/x-quire-block'

interface Line {
  readonly index: number
  readonly top: number
}

/** Reordering of blocks by the pointer. The keys and the toolbar do the same. */
export function useBlockGrip(editor: Editor | null, onMoved: (move: BlockMove) => void) {
  const [over, setOver] = useState<Line | null>(null)
  const [target, setTarget] = useState<Line | null>(null)
  const dragged = useRef<Node | null>(null)
  const stop = (): void => {
    dragged.current = null
    setTarget(null)
    setOver(null)
  }
  const drop = (event: DragEvent): void => {
    const { current: block } = dragged
    if (editor === null || block === null) return
    event.preventDefault()
    event.stopPropagation()
    const move = target === null ? null : moveBlockTo(editor.state, block, target.index)
    stop()
    if (move === null) return
    dispatchAsOneStep(editor.view, move.transaction)
    editor.view.focus()
    onMoved(move)
  }
  const area = {
    onMouseMove: (event: MouseEvent) => setOver(editor === null ? null : blockAt(editor, event)),
    onMouseLeave: () => setOver(null),
    onKeyDown: () => setOver(null), // typing moves the blocks below
    onDragOverCapture: (event: DragEvent) => {
      if (editor === null || dragged.current === null) return
      event.preventDefault()
      event.stopPropagation()
      setTarget(boundaryAt(editor, event))
    },
    onDropCapture: drop,
  }
  const start = (event: DragEvent): void => {
    const found = editor === null ? null : blockAt(editor, event)
    if (editor === null || found === null) return
    dragged.current = editor.state.doc.child(found.index)
    event.dataTransfer.setData(BLOCK_TYPE, '')
    event.dataTransfer.effectAllowed = 'move'
    const element = elementsOf(editor)[found.index]
    if (element !== undefined) event.dataTransfer.setDragImage(element, 0, 0)
  }
  return { area, over, target, start, stop }
}

/** One element for each block. Widgets of the editor, such as its cursor, are no blocks. */
function elementsOf({ view, state }: Editor): readonly Element[] {
  return [...view.dom.children]
    .filter((one) => !one.matches('.ProseMirror-widget, .ProseMirror-gapcursor'))
    .slice(0, state.doc.childCount)
}

function topOf(editor: Editor): number {
  return editor.view.dom.parentElement?.getBoundingClientRect().top ?? 0
}

function blockAt(editor: Editor, { clientY }: MouseEvent): Line | null {
  const elements = elementsOf(editor)
  const index = elements.findIndex((one) => one.getBoundingClientRect().bottom >= clientY)
  const element = elements[index]
  if (element === undefined) return null
  return { index, top: element.getBoundingClientRect().top - topOf(editor) }
}

function boundaryAt(editor: Editor, { clientY }: DragEvent): Line {
  const elements = elementsOf(editor)
  const found = elements.findIndex((one) => {
    const { top, height } = one.getBoundingClientRect()
    return clientY < top + height / 2
  })
  const index = found === -1 ? elements.length : found
  const next = elements[index]?.getBoundingClientRect().top
  const edge = next ?? elements.at(-1)?.getBoundingClientRect().bottom ?? 0
  return { index, top: edge - topOf(editor) - 5 }
}
