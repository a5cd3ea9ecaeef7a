#if !Markdown
  #error("NotesMarkdown needs the package trait Markdown, as in: swift build --traits Markdown")
#endif
