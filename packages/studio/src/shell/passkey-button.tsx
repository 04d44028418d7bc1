import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { canUsePasskeys, PasskeyDeclined, signInByPasskey } from '../api/passkeys.ts'
import { ApiError } from '../api/request.ts'
import { type Session, startQuery } from '../api/session.ts'
import { Button } from '../design/button.tsx'
import type { TextKey } from '../texts/english.ts'
import { useTexts } from '../texts/texts.ts'

export interface PasskeyButtonProps {
  readonly onSignedIn: (session: Session) => void
  readonly onProblem: (problem: string | null) => void
}

/** Hidden if the server or the browser does not support passkeys. */
export function PasskeyButton({ onSignedIn, onProblem }: PasskeyButtonProps) {
  const { t } = useTexts()
  const { data: start } = useQuery(startQuery)
  const [isBusy, setBusy] = useState(false)
  if (start?.passkeys !== true || !canUsePasskeys()) return null
  const enter = async (): Promise<void> => {
    setBusy(true)
    onProblem(null)
    try {
      onSignedIn(await signInByPasskey())
    } catch (error) {
      const key = keyOf(error)
      onProblem(key === null ? String(error) : t(key))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button isPending={isBusy} onPress={() => void enter()}>
      {t('signIn.passkey')}
    </Button>
  )
}

function keyOf(error: unknown): TextKey | null {
  if (error instanceof PasskeyDeclined) return 'passkey.unused'
  if (!(error instanceof ApiError)) return null
  if (error.status === 0) return 'error.network'
  if (error.status === 429) return 'signIn.limited'
  return error.code === 'invalid_passkey' ? 'passkey.wrong' : null
}
