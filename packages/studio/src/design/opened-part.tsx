import { type ReactNode, Suspense } from 'react'
import { LoadBoundary } from './not-loaded.tsx'

/** Shows a dialog or a pane when its code has loaded. */
export function OpenedPart({ children }: { readonly children: ReactNode }) {
  return (
    <LoadBoundary>
      <Suspense fallback={null}>{children}</Suspense>
    </LoadBoundary>
  )
}
