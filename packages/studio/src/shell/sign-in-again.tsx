import { Suspense, useEffect, useState } from 'react'
import { onSignInNeeded, type SignInReason } from '../api/request.ts'
import { lazyPart } from '../design/load-part.tsx'
import { LoadBoundary } from '../design/not-loaded.tsx'

const SignInDialog = lazyPart(async () => (await import('./sign-in-dialog.tsx')).SignInDialog)

interface WaitingRequest {
  readonly reason: SignInReason
  readonly resolve: (isSignedIn: boolean) => void
}

/**
 * A dialog over the open screen after the session has ended, or if a request needs a recent sign-in.
 * Requests wait for the new sign-in, and the screen keeps its state.
 */
export function SignInAgain() {
  const [waiting, setWaiting] = useState<readonly WaitingRequest[]>([])
  useEffect(() => {
    onSignInNeeded(
      (reason) =>
        new Promise((resolve) => setWaiting((others) => [...others, { reason, resolve }])),
    )
  }, [])
  if (waiting.length === 0) return null
  const goOn = (isSignedIn: boolean): void => {
    for (const { resolve } of waiting) resolve(isSignedIn)
    setWaiting([])
  }
  return (
    <LoadBoundary>
      <Suspense fallback={null}>
        <SignInDialog
          reason={waiting.some(({ reason }) => reason === 'ended') ? 'ended' : 'old'}
          onSignedIn={() => goOn(true)}
          onClose={() => goOn(false)}
        />
      </Suspense>
    </LoadBoundary>
  )
}
