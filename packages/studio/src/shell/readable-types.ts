import { type TypeSummary, useTypes } from '../api/content-types.ts'
import { useMay } from '../api/session.ts'

export function useReadableTypes(): readonly TypeSummary[] {
  const may = useMay()
  return useTypes().filter(({ uid }) => may(`${uid}.find`))
}
