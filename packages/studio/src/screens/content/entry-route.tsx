import { useParams } from '@tanstack/react-router'
import { Missing } from '../../design/missing.tsx'
import { EntryScreen } from '../entry/entry-screen.tsx'
import { screenKeyOf } from '../entry/screen-keys.ts'
import { useAddressedType } from './content-screen.tsx'

export function EntryRoute() {
  const type = useAddressedType()
  const { documentId } = useParams({ from: '/shell/content/$type/$documentId' })
  if (type === undefined) return <Missing />
  return (
    <EntryScreen
      key={screenKeyOf(documentId)}
      type={type}
      documentId={documentId === 'new' ? null : documentId}
    />
  )
}
