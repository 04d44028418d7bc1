import type { TypeSummary } from '../../api/content-types.ts'
import { Page } from '../../design/page.tsx'

export interface EntryScreenProps {
  readonly type: TypeSummary
  /** Null begins a new one; of a single type it is the one that there is, if any. */
  readonly documentId: string | null
}

export function EntryScreen({ type, documentId }: EntryScreenProps) {
  return (
    <Page title={type.displayName} narrow>
      {documentId}
    </Page>
  )
}
