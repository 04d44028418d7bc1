import { type PointerEvent, useEffect, useRef, useState } from 'react'
import type { CalendarDay } from './calendar-days.ts'

export interface DragToDay {
  /** The day below the dragged chip. */
  readonly over: CalendarDay | null
  readonly start: (id: string, event: PointerEvent<HTMLElement>) => void
}

/** A shorter way of the pointer is a click. */
const MIN_WAY_PX = 5

/** Drags chips with a mouse or a pen: a finger scrolls. Escape ends a drag without an effect. */
export function useDragToDay(onDrop: (id: string, day: CalendarDay) => void): DragToDay {
  const [over, setOver] = useState<CalendarDay | null>(null)
  const drop = useRef(onDrop)
  const stop = useRef<(() => void) | null>(null)
  useEffect(() => {
    drop.current = onDrop
  })
  useEffect(() => () => stop.current?.(), [])
  const start = (id: string, event: PointerEvent<HTMLElement>): void => {
    if (event.button !== 0 || event.pointerType === 'touch') return
    const chip = event.currentTarget
    const from = dayBelow(event)
    stop.current?.()
    stop.current = followPointer(chip, event, {
      onOver: setOver,
      onEnd: (day) => {
        stop.current = null
        setOver(null)
        if (day !== null && day !== from) drop.current(id, day)
      },
    })
  }
  return { over, start }
}

interface Follower {
  readonly onOver: (day: CalendarDay | null) => void
  /** With null if the drag was cancelled, or ended outside of all days. */
  readonly onEnd: (day: CalendarDay | null) => void
}

type Point = Pick<MouseEvent, 'clientX' | 'clientY'>

/** Returns a function that ends the drag without an effect. */
function followPointer(chip: HTMLElement, start: Point, { onOver, onEnd }: Follower): () => void {
  let isDragging = false
  const ended = new AbortController()
  const { signal } = ended
  const end = (day: CalendarDay | null): void => {
    ended.abort()
    chip.removeAttribute('data-dragged')
    chip.style.removeProperty('transform')
    onEnd(day)
  }
  const move = (at: globalThis.PointerEvent): void => {
    const [x, y] = [at.clientX - start.clientX, at.clientY - start.clientY]
    isDragging ||= Math.hypot(x, y) >= MIN_WAY_PX
    if (!isDragging) return
    chip.setAttribute('data-dragged', '')
    chip.style.transform = `translate(${x}px, ${y}px)`
    onOver(dayBelow(at))
  }
  const release = (at: globalThis.PointerEvent): void => {
    if (isDragging) ignoreNextClick()
    end(isDragging ? dayBelow(at) : null)
  }
  const escape = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return
    event.preventDefault()
    if (isDragging) ignoreNextClick()
    end(null)
  }
  window.addEventListener('pointermove', move, { signal })
  window.addEventListener('pointerup', release, { signal })
  window.addEventListener('pointercancel', () => end(null), { signal })
  window.addEventListener('keydown', escape, { signal, capture: true })
  return () => end(null)
}

function dayBelow({ clientX, clientY }: Point): CalendarDay | null {
  const below = document.elementFromPoint(clientX, clientY)
  return below?.closest<HTMLElement>('[data-day]')?.dataset['day'] ?? null
}

/** The release of a drag is a click if the pointer is on the same element again. */
function ignoreNextClick(): void {
  const ended = new AbortController()
  const ignore = (event: Event): void => {
    event.preventDefault()
    event.stopPropagation()
    ended.abort()
  }
  window.addEventListener('click', ignore, { capture: true, signal: ended.signal })
  for (const next of ['pointerdown', 'keydown']) {
    window.addEventListener(next, () => ended.abort(), { capture: true, signal: ended.signal })
  }
}
