import type { Restored } from '../../api/trash.ts'
import { notify } from '../../design/toasts.tsx'
import { labelOf } from '../../texts/labels.ts'
import type { Texts } from '../../texts/texts.ts'

export function sayRestored(t: Texts['t'], done: string, restored: readonly Restored[]): void {
  notify(done)
  const lost = restored.reduce((sum, one) => sum + one.lost, 0)
  if (lost > 0) notify(t('trash.lost', { count: lost }))
  const taken = new Set(restored.flatMap((one) => one.taken))
  if (taken.size > 0) notify(t('trash.taken', { names: [...taken].map(labelOf).join(', ') }))
}
