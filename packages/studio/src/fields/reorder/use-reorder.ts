import { type KeyboardEvent, type PointerEvent, useEffect, useState } from 'react'

/** Stable for the lifetime of the list. */
export interface Handles {
  readonly gripProps: (key: string) => {
    readonly onKeyDown: (event: KeyboardEvent) => void
    readonly onPointerDown: (event: PointerEvent<HTMLElement>) => void
    readonly ref: (element: HTMLElement | null) => void
  }
  readonly itemRef: (key: string) => (element: HTMLElement | null) => void
}

export interface Reordering {
  readonly handles: Handles
  readonly drag: { readonly key: string; readonly to: number } | null
}

/** Distance in pixels to the edge of the window at which it scrolls. */
const SCROLL_EDGE_PX = 64
const SCROLL_STEP_PX = 12

/**
 * Reorders a list by handles, which can be dragged or moved with ↑, ↓, Home and End. The moved
 * element keeps the focus.
 */
export function useReorder(
  keys: readonly string[],
  onMove: (key: string, to: number) => void,
): Reordering {
  const [drag, setDrag] = useState<Reordering['drag']>(null)
  const [state] = useState((): State => ({
    keys,
    onMove,
    items: new Map(),
    grips: new Map(),
    moved: null,
  }))
  const [handles] = useState(() => handlesOf(state, setDrag))
  state.keys = keys
  state.onMove = onMove
  useEffect(() => {
    if (state.moved === null) return
    state.grips.get(state.moved)?.focus()
    state.items.get(state.moved)?.scrollIntoView({ block: 'nearest' })
    state.moved = null
  }, [keys, state])
  return { handles, drag }
}

interface State {
  keys: readonly string[]
  onMove: (key: string, to: number) => void
  readonly items: Map<string, HTMLElement>
  readonly grips: Map<string, HTMLElement>
  moved: string | null
}

function handlesOf(state: State, setDrag: (drag: Reordering['drag']) => void): Handles {
  const move = (key: string, to: number): void => {
    const from = state.keys.indexOf(key)
    if (from < 0 || to === from || to < 0 || to >= state.keys.length) return
    state.moved = key
    state.onMove(key, to)
  }
  const drop = (key: string, to: number): void =>
    move(key, to > state.keys.indexOf(key) ? to - 1 : to)
  return {
    gripProps: (key) => ({
      ref: keep(state.grips, key),
      onKeyDown: (event) => {
        const to = targetOf(event.key, state.keys.indexOf(key), state.keys.length)
        if (to === undefined) return
        event.preventDefault()
        event.stopPropagation()
        move(key, to)
      },
      onPointerDown: (event) => {
        if (event.button !== 0) return
        follow(event.currentTarget, event.pointerId, {
          over: (y) => setDrag({ key, to: placeAt(state, y) }),
          end: (y) => {
            setDrag(null)
            if (y !== null) drop(key, placeAt(state, y))
          },
        })
      },
    }),
    itemRef: (key) => keep(state.items, key),
  }
}

function targetOf(key: string, at: number, count: number): number | undefined {
  return { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: count - 1 }[key]
}

function keep(elements: Map<string, HTMLElement>, key: string) {
  return (element: HTMLElement | null): void => {
    if (element === null) elements.delete(key)
    else elements.set(key, element)
  }
}

function placeAt({ keys, items }: State, y: number): number {
  const before = keys.findIndex((key) => {
    const box = items.get(key)?.getBoundingClientRect()
    return box !== undefined && y < box.top + box.height / 2
  })
  return before < 0 ? keys.length : before
}

/** Follows a pointer from its press on a handle. Escape cancels. */
function follow(
  grip: HTMLElement,
  pointer: number,
  on: { readonly over: (y: number) => void; readonly end: (y: number | null) => void },
): void {
  let last: number | null = null
  const scroller = scrollerOf(grip)
  grip.setPointerCapture(pointer)
  const onMove = (event: globalThis.PointerEvent): void => {
    last = event.clientY
    if (last < SCROLL_EDGE_PX) scroller.scrollBy(0, -SCROLL_STEP_PX)
    if (last > window.innerHeight - SCROLL_EDGE_PX) scroller.scrollBy(0, SCROLL_STEP_PX)
    on.over(last)
  }
  const stop = (y: number | null): void => {
    grip.removeEventListener('pointermove', onMove)
    grip.removeEventListener('pointerup', onUp)
    grip.removeEventListener('pointercancel', onCancel)
    document.removeEventListener('keydown', onKey, true)
    on.end(y)
  }
  const onUp = (): void => stop(last)
  const onCancel = (): void => stop(null)
  const onKey = (event: globalThis.KeyboardEvent): void => {
    if (event.key !== 'Escape') return
    event.stopPropagation()
    stop(null)
  }
  grip.addEventListener('pointermove', onMove)
  grip.addEventListener('pointerup', onUp)
  grip.addEventListener('pointercancel', onCancel)
  document.addEventListener('keydown', onKey, true)
}

function scrollerOf(element: HTMLElement): Element {
  for (let at = element.parentElement; at !== null; at = at.parentElement) {
    if (at.scrollHeight > at.clientHeight && /auto|scroll/.test(getComputedStyle(at).overflowY))
      return at
  }
  return document.documentElement
}

export function moved<Element>(
  list: readonly Element[],
  from: number,
  to: number,
): readonly Element[] {
  const rest = list.filter((_, index) => index !== from)
  const one = list[from]
  return one === undefined ? list : [...rest.slice(0, to), one, ...rest.slice(to)]
}
