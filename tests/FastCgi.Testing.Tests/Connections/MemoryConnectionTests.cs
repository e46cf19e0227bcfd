using FastCgi.Testing.Tests.Documentation;

namespace FastCgi.Testing.Tests.Connections;

/// <summary>In memory, without a socket.</summary>
public sealed class MemoryConnectionTests(MemoryFactory factory)
    : ConnectionTests(factory), IClassFixture<MemoryFactory>;
