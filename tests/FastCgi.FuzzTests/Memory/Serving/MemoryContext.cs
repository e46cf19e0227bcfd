using FastCgi.FuzzTests.Memory.Talks;

namespace FastCgi.FuzzTests.Memory.Serving;

/// <summary>One request as the application has it.</summary>
internal sealed record MemoryContext(HttpContext Http, Script? Script);
