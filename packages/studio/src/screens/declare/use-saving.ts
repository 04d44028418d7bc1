import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import {
  type DeclarationChanges,
  type DeclarationPlan,
  planDeclarations,
  saveDeclarations,
  untilRunning,
} from '../../api/declarations.ts'
import { ApiError, type Fault } from '../../api/request.ts'
import { notify } from '../../design/toasts.tsx'
import { useTexts } from '../../texts/texts.ts'

export interface Saving {
  readonly isBusy: boolean
  /**
   * Faults of the server; paths start with the uid. A fault of no declaration has an empty path.
   */
  readonly faults: readonly Fault[]
  /** Asks before it changes stored values. */
  readonly save: (changes: DeclarationChanges) => void
  readonly asked: AskedPlan
}

interface AskedPlan {
  readonly plan: DeclarationPlan | null
  readonly onClose: () => void
  readonly onConfirm: () => void
}

interface PlannedChanges {
  readonly changes: DeclarationChanges
  readonly plan: DeclarationPlan
}

/**
 * Writes the files, waits until the server has restarted with them, and then invalidates all
 * queries.
 */
export function useSaving(revision: string, onSaved: () => void): Saving {
  const { t } = useTexts()
  const client = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  const [faults, setFaults] = useState<readonly Fault[]>([])
  const [planned, ask] = useState<PlannedChanges | null>(null)
  const attempt = async (changes: DeclarationChanges, isConfirmed = false): Promise<void> => {
    setBusy(true)
    setFaults([])
    ask(null)
    try {
      const plan = isConfirmed ? null : await planDeclarations(changes, revision)
      if (plan !== null && plan.retyped.length > 0) {
        ask({ changes, plan })
        return
      }
      const written = await saveDeclarations(changes, revision)
      if (await untilRunning(written.revision)) {
        await client.invalidateQueries()
        notify(t('declare.started'))
        onSaved()
      } else setFaults([{ path: [], message: t('declare.silent') }])
    } catch (error) {
      setFaults(faultsOf(error, t('declare.changed')))
    } finally {
      setBusy(false)
    }
  }
  const asked: AskedPlan = {
    plan: planned?.plan ?? null,
    onClose: () => ask(null),
    onConfirm: () => {
      if (planned !== null) void attempt(planned.changes, true)
    },
  }
  return { isBusy, faults, save: (changes) => void attempt(changes), asked }
}

function faultsOf(error: unknown, changed: string): readonly Fault[] {
  if (!(error instanceof ApiError)) throw error
  if (error.status === 412) return [{ path: [], message: changed }]
  return error.faults.length > 0 ? error.faults : [{ path: [], message: error.message }]
}
