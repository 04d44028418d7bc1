import { type ReactNode, useLayoutEffect, useRef } from 'react'
import styles from './floating.module.css'
import type { Editor } from './open-blocks-editor.ts'

const GAP_PX = 6

export interface FloatingProps {
  readonly editor: Editor
  /** A range of the document. */
  readonly from: number
  readonly to: number
  readonly side: 'above' | 'below'
  readonly children: ReactNode
}

/**
 * A box at a range of the text, on the other side if the window has no room on the wanted one. It
 * follows changes of its size. The nearest positioned ancestor must contain the editor.
 */
export function Floating({ editor, from, to, side, children }: FloatingProps) {
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const { current } = box
    if (current === null) return
    const move = (): void => place(current, { editor, from, to, side })
    move()
    const observer = new ResizeObserver(move)
    observer.observe(current)
    return () => observer.disconnect()
  })
  return (
    <div ref={box} className={styles['floating']}>
      {children}
    </div>
  )
}

function place(
  box: HTMLElement,
  { editor, from, to, side }: Omit<FloatingProps, 'children'>,
): void {
  const around = box.offsetParent?.getBoundingClientRect()
  if (around === undefined || editor.isDestroyed) return
  const size = editor.state.doc.content.size
  const start = editor.view.coordsAtPos(Math.min(from, size))
  const end = editor.view.coordsAtPos(Math.min(to, size))
  const { offsetHeight: height, offsetWidth: width } = box
  const above = start.top - height - GAP_PX
  const below = end.bottom + GAP_PX
  // The head of the page covers its top.
  const head = document.querySelector('main header')?.getBoundingClientRect().bottom ?? 0
  const isAbove =
    side === 'above'
      ? above >= Math.max(head, around.top) // the toolbar stays visible
      : below + height > window.innerHeight && above >= head
  const left = Math.max(0, Math.min(start.left - around.left, around.width - width))
  box.style.top = `${(isAbove ? above : below) - around.top}px`
  box.style.left = `${left}px`
}
