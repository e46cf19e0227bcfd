namespace FastCgi.Testing.Tests.Connections;

/// <summary>Over TCP.</summary>
public sealed class TcpConnectionTests(TcpConnectionTests.TcpFactory factory)
    : ConnectionTests(factory), IClassFixture<TcpConnectionTests.TcpFactory>
{
    public sealed class TcpFactory : FastCgiApplicationFactory<Program>
    {
        public TcpFactory() => Endpoint = FastCgiTestEndpoint.Tcp;
    }
}
