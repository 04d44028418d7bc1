import { Button } from '../../design/button.tsx'
import { Icon } from '../../design/icons/icon.tsx'
import { useTexts } from '../../texts/texts.ts'
import styles from './calendar.module.css'
import {
  addMonths,
  calendarDayOf,
  type CalendarMonth,
  isCalendarMonth,
  monthOf,
} from './calendar-days.ts'

export interface MonthButtonsProps {
  readonly label: string
  readonly month: CalendarMonth
  readonly onMonth: (month: CalendarMonth) => void
}

export function MonthButtons({ label, month, onMonth }: MonthButtonsProps) {
  const { t } = useTexts()
  const turn = (count: number) => {
    const to = monthOf(addMonths(`${month}-01`, count))
    return { isDisabled: !isCalendarMonth(to), onPress: () => onMonth(to) }
  }
  return (
    <div role="group" aria-label={t('calendar.month')} className={styles['month']}>
      <Button look="quiet" square aria-label={t('calendar.previous')} {...turn(-1)}>
        <Icon name="left" />
      </Button>
      <span className={styles['monthName']} aria-live="polite">
        {label}
      </span>
      <Button look="quiet" square aria-label={t('calendar.next')} {...turn(1)}>
        <Icon name="right" />
      </Button>
      <Button onPress={() => onMonth(monthOf(calendarDayOf(new Date())))}>
        {t('calendar.today')}
      </Button>
    </div>
  )
}
