import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type DeclarationChanges, saveDeclarations, untilRunning } from '../../api/declarations.ts'
import { ApiError, type Fault } from '../../api/request.ts'
import { notify } from '../../design/toasts.tsx'
import { useTexts } from '../../texts/texts.ts'

export interface Saving {
  readonly isBusy: boolean
  /**
   * Faults of the server; paths start with the uid. A fault of no declaration has an empty path.
   */
  readonly faults: readonly Fault[]
  readonly save: (changes: DeclarationChanges) => void
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
  const attempt = async (changes: DeclarationChanges): Promise<void> => {
    setBusy(true)
    setFaults([])
    try {
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
  return { isBusy, faults, save: (changes) => void attempt(changes) }
}

function faultsOf(error: unknown, changed: string): readonly Fault[] {
  if (!(error instanceof ApiError)) throw error
  if (error.status === 412) return [{ path: [], message: changed }]
  return error.faults.length > 0 ? error.faults : [{ path: [], message: error.message }]
}
