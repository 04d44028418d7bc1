import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'

const FOCUSABLE = 'a[href], button:not(:disabled), [tabindex="0"]'

/** Focuses the list of the screen, or the start of its content. */
function focusContent(): void {
  if (document.activeElement !== document.body) return
  const content = document.getElementById('content')
  const grid = content?.querySelector<HTMLElement>('[role=grid]')
  ;(grid ?? content)?.focus({ preventScroll: true })
}

/** Moves the focus to the screen when the focused element is removed together with this part. */
export function useFocusLeft(part: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const { current } = part
    return () => {
      if (current?.contains(document.activeElement) === true) queueMicrotask(focusContent)
    }
  }, [part])
}

/**
 * Keeps the focus in a list when the focused row is removed: the row that takes its place gets it.
 * A dialog that a row opened returns the focus first.
 */
export function useFocusOfRows(list: RefObject<HTMLElement | null>): void {
  const place = useRef(-1)
  const count = useRef(0)
  useFocusLeft(list)
  useEffect(() => {
    const onFocus = ({ target }: FocusEvent): void => {
      if (!(target instanceof Element)) return
      const at = rowsOf(list).findIndex((row) => row.contains(target))
      if (at >= 0) place.current = at
      else if (target.closest('#content') !== null) place.current = -1
    }
    document.addEventListener('focusin', onFocus)
    return () => document.removeEventListener('focusin', onFocus)
  }, [list])
  useLayoutEffect(() => {
    const rows = rowsOf(list)
    const isLess = rows.length < count.current
    count.current = rows.length
    if (!isLess || place.current < 0 || document.activeElement !== document.body) return
    rows[Math.min(place.current, rows.length - 1)]?.querySelector<HTMLElement>(FOCUSABLE)?.focus()
  })
}

function rowsOf(list: RefObject<HTMLElement | null>): readonly Element[] {
  return [...(list.current?.children ?? [])]
}
