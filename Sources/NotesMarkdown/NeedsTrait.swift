#if !Markdown
  #error("DaybookNotesMarkdown needs the package trait Markdown, as in --traits Markdown")
#endif
