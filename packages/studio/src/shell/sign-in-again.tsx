import { Suspense, useEffect, useState } from 'react'
import { onSignedOut } from '../api/request.ts'
import { lazyPart } from '../design/load-part.tsx'
import { LoadBoundary } from '../design/not-loaded.tsx'

const SignInDialog = lazyPart(async () => (await import('./sign-in-dialog.tsx')).SignInDialog)

/**
 * A dialog over the open screen after the session has ended. Requests wait for the new sign-in, and
 * the screen keeps its state.
 */
export function SignInAgain() {
  const [waiting, setWaiting] = useState<readonly (() => void)[]>([])
  useEffect(() => {
    onSignedOut(() => new Promise((resolve) => setWaiting((others) => [...others, resolve])))
  }, [])
  if (waiting.length === 0) return null
  const goOn = (): void => {
    for (const resolve of waiting) resolve()
    setWaiting([])
  }
  return (
    <LoadBoundary>
      <Suspense fallback={null}>
        <SignInDialog onSignedIn={goOn} />
      </Suspense>
    </LoadBoundary>
  )
}
