import type { ReactNode } from 'react'
import table from './data-table.module.css'

interface ScrollRegionProps {
  readonly label: string
  readonly className: string | undefined
  readonly children: ReactNode
}

/** A table that is wider than its place. The keyboard scrolls it, too. */
export function ScrollRegion({ label, className, children }: ScrollRegionProps) {
  return (
    <div
      className={`${table['scroll']} ${className}`}
      role="region"
      aria-label={label}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls
      tabIndex={0}
    >
      {children}
    </div>
  )
}
