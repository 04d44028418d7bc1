import type { ReactNode } from 'react'
import { useTexts } from '../texts/texts.ts'
import { Button } from './button.tsx'
import { Icon } from './icons/icon.tsx'
import styles from './page-buttons.module.css'

export interface PageButtonsProps {
  readonly isFirst: boolean
  readonly isLast: boolean
  readonly onBack: () => void
  readonly onForward: () => void
  /** Between the buttons. */
  readonly children?: ReactNode
}

export function PageButtons({ isFirst, isLast, onBack, onForward, children }: PageButtonsProps) {
  const { t } = useTexts()
  return (
    <span className={styles['pages']}>
      <Button
        look="quiet"
        small
        square
        aria-label={t('list.previousPage')}
        isDisabled={isFirst}
        onPress={onBack}
      >
        <Icon name="left" />
      </Button>
      {children !== undefined && <span className={styles['between']}>{children}</span>}
      <Button
        look="quiet"
        small
        square
        aria-label={t('list.nextPage')}
        isDisabled={isLast}
        onPress={onForward}
      >
        <Icon name="right" />
      </Button>
    </span>
  )
}
