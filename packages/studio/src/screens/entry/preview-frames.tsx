import { useEffect, useRef, useState } from 'react'
import styles from './preview-pane.module.css'

export interface PreviewFramesProps {
  readonly title: string
  readonly url: string
  /** A new value reloads the page. */
  readonly turn: number
  /** In pixels of the page, which is scaled down if the pane is narrower. */
  readonly width: number
  /** Whether the page also uses wider panes. */
  readonly grows: boolean
  /** Called for each page that a frame has loaded, also after links in it. */
  readonly onLoad: (page: Window) => void
}

interface Frame {
  readonly url: string
  readonly turn: number
}

/**
 * Frames of a site, sandboxed so that it cannot navigate this window. The previous page stays
 * visible until the next one has loaded. Each page gets a new frame, because a changed address
 * would add a step to the history.
 */
export function PreviewFrames({ title, url, turn, width, grows, onLoad }: PreviewFramesProps) {
  const [loaded, show] = useState<Frame | null>(null)
  const { ref, room } = useRoom()
  const next: Frame = { url, turn }
  const isBehind = loaded !== null && loaded.turn !== turn
  const frames = isBehind ? [loaded, next] : [next]
  const scale = room.width === 0 ? 1 : Math.min(1, room.width / width)
  const size = {
    width: grows ? Math.max(width, room.width) : width,
    height: room.height / scale,
    transform: `scale(${scale})`,
  }
  return (
    <div ref={ref} className={styles['stage']}>
      <div className={styles['page']} style={{ width: size.width * scale }}>
        {frames.map((frame) => (
          <iframe
            key={frame.turn}
            title={title}
            src={frame.url}
            sandbox="allow-downloads allow-forms allow-modals allow-popups allow-same-origin allow-scripts"
            className={isBehind && frame === next ? styles['coming'] : styles['frame']}
            style={size}
            onLoad={({ currentTarget: { contentWindow } }) => {
              show(frame)
              if (contentWindow !== null) onLoad(contentWindow)
            }}
          />
        ))}
      </div>
    </div>
  )
}

const EMPTY_SIZE = { width: 0, height: 0 }

function useRoom() {
  const ref = useRef<HTMLDivElement>(null)
  const [room, measure] = useState(EMPTY_SIZE)
  useEffect(() => {
    const stage = ref.current
    if (stage === null) return undefined
    const observer = new ResizeObserver(() =>
      measure({ width: stage.clientWidth, height: stage.clientHeight }),
    )
    observer.observe(stage)
    return () => observer.disconnect()
  }, [])
  return { ref, room }
}
