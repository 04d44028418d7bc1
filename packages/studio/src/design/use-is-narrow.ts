import { type RefObject, useLayoutEffect, useState } from 'react'

/** Whether the element is narrower than `px`. */
export function useIsNarrow(element: RefObject<HTMLElement | null>, px: number): boolean {
  const [isNarrow, setNarrow] = useState(false)
  useLayoutEffect(() => {
    const box = element.current
    if (box === null) return undefined
    const measure = (): void => setNarrow(box.clientWidth < px)
    const observer = new ResizeObserver(measure)
    observer.observe(box)
    measure()
    return () => observer.disconnect()
  }, [element, px])
  return isNarrow
}
