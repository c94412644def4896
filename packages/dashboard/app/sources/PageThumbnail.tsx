import { useIntersection } from "@mantine/hooks"
import { useQuery } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import { documentsQuery } from "../api/documents.ts"
import type { Source } from "../api/chats.ts"
import { makePart } from "../parts/part.ts"
import classes from "./SourceList.module.css"

const pictures = makePart(() => import("../pdf/thumbnails.ts"))

/** The number of the page that can be drawn as a thumbnail: of pdf files only. */
const pageOf = ({ filename, page }: Source): number | undefined =>
  page !== null && /\.pdf$/i.test(filename) ? page : undefined

/** A thumbnail of the page that a source quotes. It is drawn when it comes into view; its place is reserved before. */
export const PageThumbnail = ({ source }: { readonly source: Source }) => {
  const page = pageOf(source)
  const { entry, ref } = useIntersection<HTMLSpanElement>()
  const isInView = page !== undefined && entry?.isIntersecting === true
  // The documents are read, because the pages of a deleted document cannot be drawn.
  const { data: documents } = useQuery({ ...documentsQuery, enabled: isInView })
  const isWanted = isInView && documents?.some(({ id }) => id === source.documentId) === true
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    if (!isWanted || page === undefined) return
    let isShown = true
    void pictures
      .load()
      .then(({ thumbnailOf }) => thumbnailOf(source.documentId, page))
      .then(
        (drawn) => isShown && setAddress(drawn),
        () => undefined
      )
    return () => {
      isShown = false
    }
  }, [isWanted, page, source.documentId])
  if (page === undefined) return null
  return (
    <span ref={ref} className={classes.thumbnail} data-drawn={address !== undefined}>
      {address !== undefined && <img src={address} alt="" />}
    </span>
  )
}
