import { useSignal } from '@preact/signals'
import type { RefObject, TargetedKeyboardEvent, TargetedPointerEvent } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

import type { Visits } from '../../api'
import { number } from '../../language/format'
import { t } from '../../language/language'
import { areaOf, lineOf, scaleOf } from './chart-lines'
import { momentOf, shortMomentOf } from './moments'
import type { Interval } from './periods'
import { labelled, ticksOf } from './ticks'

/** In pixels. */
const HEIGHT = 220
const TOP = 14
const FOOT = 26
const READING = { width: 232, height: 52, away: 12 }
const OF_DIGIT = 7.5
const OF_LABEL = 64

interface ChartProps {
  readonly series: Visits['series']
  /** the same points one period earlier; missing ones are 0 */
  readonly before: Visits['series']
  readonly interval: Interval
}

/**
 * Visits over time: the current period solid, the previous one dashed. Keyboards and screen readers see a slider:
 * arrows move the reading from point to point, Escape ends it. A table below has the same numbers.
 */
export const Chart = ({ series, before, interval }: ChartProps) => {
  const box = useRef<HTMLDivElement>(null)
  const width = useWidth(box)
  const reading = useSignal<number | null>(null)
  const last = series.length - 1
  // a shorter period may have come since
  const at = reading.value === null ? null : Math.min(last, reading.value)
  const now = series.map(({ visits }) => visits)
  const earlier = series.map((_, i) => before[i]?.visits ?? 0)
  const ticks = ticksOf(Math.max(...now, ...earlier))
  const highest = ticks.at(-1) ?? 1
  const left = Math.ceil(number(highest).length * OF_DIGIT) + 8
  const plot = { left, right: width - 6, top: TOP, bottom: HEIGHT - FOOT }
  const scale = scaleOf(plot, series.length, highest)
  const { x, y } = scale

  const words = (index: number) => {
    const { time = '', visits = 0, visitors = 0 } = series[index] ?? {}
    const moment = momentOf(interval, time)
    return {
      numbers: t.visits.numbers(visits, visitors),
      moment: t.visits.comparedMoment(index === last ? t.visits.soFar(moment) : moment, earlier[index] ?? 0),
    }
  }
  const move = (to: number) => {
    reading.value = Math.min(last, Math.max(0, to))
  }
  const press = (event: TargetedKeyboardEvent<HTMLDivElement>) => {
    const from = at ?? last + (event.key === 'ArrowRight' || event.key === 'ArrowUp' ? -1 : 1)
    const moves: Readonly<Record<string, number>> = {
      ArrowLeft: from - 1,
      ArrowDown: from - 1,
      ArrowRight: from + 1,
      ArrowUp: from + 1,
      PageDown: from - 7,
      PageUp: from + 7,
      Home: 0,
      End: last,
    }
    const to = moves[event.key]
    if (to !== undefined) move(to)
    else if (event.key === 'Escape' && at !== null) reading.value = null
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const point = ({ clientX, currentTarget }: TargetedPointerEvent<HTMLDivElement>) =>
    move(scale.at(clientX - currentTarget.getBoundingClientRect().left))
  const end = () => {
    reading.value = null
  }

  const told = words(at ?? last)
  return (
    <div
      ref={box}
      class="chart"
      role="slider"
      tabIndex={0}
      aria-label={t.visits.chart[interval]}
      aria-valuemin={0}
      aria-valuemax={last}
      aria-valuenow={at ?? last}
      aria-valuetext={`${told.moment}: ${told.numbers}`}
      onKeyDown={press}
      onPointerDown={point}
      onPointerMove={point}
      onPointerLeave={end}
      onBlur={end}
    >
      <svg width={width} height={HEIGHT} aria-hidden="true">
        {ticks.map((tick) => (
          <g key={tick}>
            <line class="grid-line" x1={plot.left} x2={plot.right} y1={y(tick)} y2={y(tick)} />
            <Label x={left - 8} y={y(tick) - 8} align="end">
              {number(tick)}
            </Label>
          </g>
        ))}
        {labelled(series.length, Math.floor(width / OF_LABEL)).map((index) => (
          <Label key={index} x={x(index)} y={HEIGHT - 16} align={alignAt(index, last)}>
            {shortMomentOf(interval, series[index]?.time ?? '')}
          </Label>
        ))}
        <path class="area" d={areaOf(now, scale)} />
        <path class="line before" d={lineOf(earlier, scale)} />
        <path class="line" d={lineOf(now.slice(0, -1), scale)} />
        <path class="line unfinished" d={lineOf(now.slice(-2), { x: (i) => x(Math.max(0, last - 1) + i), y })} />
        {at !== null && (
          <>
            <line class="reading-line" x1={x(at)} x2={x(at)} y1={plot.top} y2={plot.bottom} />
            <circle class="reading-point" cx={x(at)} cy={y(now[at] ?? 0)} r={4} />
            <foreignObject x={besideOf(x(at), width)} y={0} width={READING.width} height={READING.height}>
              <div class={x(at) > width / 2 ? 'reading end' : 'reading'}>
                <p>
                  <strong>{told.numbers}</strong>
                  <br />
                  {told.moment}
                </p>
              </div>
            </foreignObject>
          </>
        )}
      </svg>
    </div>
  )
}

type Align = 'start' | 'middle' | 'end'

/** The outer labels stay within the picture. */
const alignAt = (index: number, last: number): Align => {
  if (index === 0) return last === 0 ? 'middle' : 'start'
  return index === last ? 'end' : 'middle'
}

const ASIDE = { start: 0, middle: OF_LABEL / 2, end: OF_LABEL } as const

/** A text at an axis, on its own background, because tools that check contrast cannot see through a picture. */
const Label = ({
  x,
  y,
  align,
  children,
}: {
  readonly x: number
  readonly y: number
  readonly align: Align
  readonly children: string
}) => (
  <foreignObject x={x - ASIDE[align]} y={y} width={OF_LABEL} height={16}>
    <div class={`axis ${align}`}>
      <span>{children}</span>
    </div>
  </foreignObject>
)

/** The position of the reading: next to the point, on the side with more room. */
const besideOf = (x: number, width: number): number => {
  const beside = x > width / 2 ? x - READING.width - READING.away : x + READING.away
  return Math.min(width - READING.width, Math.max(0, beside))
}

/** The width of an element in pixels while it is mounted; 0 before that. */
const useWidth = (element: RefObject<HTMLElement | null>): number => {
  const width = useSignal(0)
  useLayoutEffect(() => {
    const { current } = element
    if (current === null) return undefined
    width.value = Math.floor(current.getBoundingClientRect().width)
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) width.value = Math.floor(entry.contentRect.width)
    })
    observer.observe(current)
    return () => observer.disconnect()
  }, [])
  return width.value
}
