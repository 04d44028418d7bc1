import { Link } from '@tanstack/react-router'
import type { PointerEvent, ReactNode } from 'react'
import { apiNameOf, useTypes } from '../../api/content-types.ts'
import type { Schedule } from '../../api/schedules.ts'
import { type Texts, useTexts } from '../../texts/texts.ts'

export interface ScheduleLinkProps {
  readonly schedule: Schedule
  readonly className: string
  /** For a link that only the pointer reaches: its tooltip, and its description for screen readers. */
  readonly hint?: string
  /** Starts a drag, which replaces the one of the browser. */
  readonly onPointerDown?: (event: PointerEvent<HTMLElement>) => void
  readonly children: ReactNode
}

export function ScheduleLink(props: ScheduleLinkProps) {
  const { schedule, className, hint, onPointerDown, children } = props
  const types = useTypes()
  const { kind, id, uid, documentId = '', locales = [] } = schedule
  const own = {
    className,
    children,
    ...(hint !== undefined && { title: hint, tabIndex: -1 }),
    ...(onPointerDown !== undefined && { onPointerDown, draggable: false }),
  }
  if (kind === 'release') {
    return <Link to="/releases/$release" params={{ release: id }} {...own} />
  }
  const type = types.find((one) => one.uid === uid)
  if (type === undefined) return <span className={className}>{children}</span>
  const to = type.kind === 'singleType' ? '/content/$type' : '/content/$type/$documentId'
  const [locale] = locales
  return (
    <Link
      to={to}
      params={{ type: apiNameOf(type), documentId }}
      search={locale === undefined ? {} : { locale }}
      {...own}
    />
  )
}

export function titleOfSchedule({ title }: Schedule, { t }: Texts): string {
  return title === '' ? t('trash.untitled') : title
}

export function useScheduleNote(): (schedule: Schedule) => string {
  const texts = useTexts()
  return ({ kind, action, locales = [] }) => {
    const verb = action === undefined ? null : texts.t(`schedule.${action}`)
    const what = kind === 'release' ? texts.t('calendar.release') : verb
    return [what, ...locales.map(texts.locale)].filter((note) => note !== null).join(' · ')
  }
}
