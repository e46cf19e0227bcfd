using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace FastCgi.Tool.Tests.Doctor;

public sealed partial class SocketAccessTests
{
    [Theory]
    [InlineData(false, true)]
    [InlineData(true, false)]
    public async Task A_socket_that_nginx_may_not_open_is_a_502_and_found(bool opensFile, bool opensDirectory)
    {
        Assert.SkipUnless(Environment.IsPrivilegedProcess, "Only root can start nginx as another user.");
        using var directory = new WorkDirectory();
        directory.LetEverybodyThrough();
        var folder = directory.Subdirectory("run");
        var socket = Path.Combine(folder, "app.sock");
        using var listener = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        listener.Bind(new UnixDomainSocketEndPoint(socket));
        listener.Listen();
        await using var nginx = await NobodysNginx.StartAsync(endPoint => $$"""
            server {
                listen {{endPoint}};
                location / {
                    {{Seed.Location.Replace("SOCKET", socket)}}
                }
            }
            """);
        var file = directory.File("nginx.conf");
        await File.WriteAllTextAsync(file, $$"""
            user nobody nogroup;
            events { }
            http { server { location / {
                {{Seed.Facts}}
                fastcgi_pass unix:{{socket}};
            } } }
            """);
        const UnixFileMode Owner = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute;
        File.SetUnixFileMode(socket, opensFile ? WorkDirectory.EverybodysFile : Owner);
        File.SetUnixFileMode(folder, opensDirectory ? Owner | UnixFileMode.OtherExecute : Owner);

        using var client = TestClient.Create(nginx.EndPoint);
        using var response = await client.GetAsync("/");
        var found = await ToolRun.OfAsync("doctor", file);
        File.SetUnixFileMode(socket, WorkDirectory.EverybodysFile);
        File.SetUnixFileMode(folder, Owner | UnixFileMode.OtherExecute);
        var fine = await ToolRun.OfAsync("doctor", file);

        Assert.Equal(HttpStatusCode.BadGateway, response.StatusCode);
        await nginx.ErrorLog.WaitForAsync("Permission denied");
        Assert.Contains($"{file}:9: socket-access: ", found.Output, StringComparison.Ordinal);
        Assert.Contains(
            opensFile ? $"may not enter {folder}" : $"may not write to {socket}",
            found.Output,
            StringComparison.Ordinal);
        Assert.Equal(ExitCode.Success, fine.ExitCode);
    }

    [Theory]
    [InlineData("nobody nogroup", ExitCode.Findings)]
    [InlineData("root root", ExitCode.Success)]
    public async Task Root_may_open_each_socket(string user, int expected)
    {
        using var directory = new WorkDirectory();
        var socket = directory.File("app.sock");
        await File.WriteAllTextAsync(socket, "");
        File.SetUnixFileMode(socket, UnixFileMode.None);

        var run = await ToolRun.OnFileAsync(
            $"user {user}; events {{ }} http {{ server {{ location / {{ " +
            $"{Seed.Location.Replace("SOCKET", socket, StringComparison.Ordinal)} }} }} }}",
            "doctor", "FILE");

        Assert.True(run.ExitCode == expected, run.Output);
    }

    /// <summary>As <c>setfacl -m u:nobody:rw</c>, which the mode shows as one of the group.</summary>
    [Fact]
    public async Task A_socket_that_an_access_list_opens_is_not_found()
    {
        Assert.SkipUnless(Environment.IsPrivilegedProcess, "Only root can start nginx as another user.");
        await using var app = await ServedApp.StartOnUnixAndTcpAsync(DoctorApplication.Configure);
        var socket = app.SocketPath;
        File.SetUnixFileMode(socket, UnixFileMode.UserRead | UnixFileMode.UserWrite);
        byte[] list =
        [
            2, 0, 0, 0,
            .. Entry(tag: 0x01, mode: 6), .. Entry(tag: 0x02, mode: 6, id: 65534), .. Entry(tag: 0x04, mode: 0),
            .. Entry(tag: 0x10, mode: 6), .. Entry(tag: 0x20, mode: 0),
        ];
        Assert.Equal(0, SetAttribute(socket, "system.posix_acl_access", list, (nuint)list.Length, 0));
        var location = Seed.Location.Replace("SOCKET", socket, StringComparison.Ordinal);
        await using var nginx = await NobodysNginx.StartAsync(
            endPoint => $"server {{ listen {endPoint}; location / {{ {location} }} }}");

        using var client = TestClient.Create(nginx.EndPoint);
        using var response = await client.GetAsync("/");
        var run = await ToolRun.OnFileAsync(
            $"user nobody nogroup; events {{ }} http {{ server {{ location / {{ {location} }} }} }}", "doctor", "FILE");

        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        Assert.True(run.ExitCode == ExitCode.Success, run.Output);
    }

    /// <summary>An entry of a list, as the kernel has it in the attribute.</summary>
    private static byte[] Entry(byte tag, byte mode, int id = -1) => [tag, 0, mode, 0, .. BitConverter.GetBytes(id)];

    [LibraryImport("libc", EntryPoint = "setxattr", StringMarshalling = StringMarshalling.Utf8)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.System32)]
    private static partial int SetAttribute(string path, string name, byte[] value, nuint size, int flags);

    /// <summary>nginx whose worker is nobody, as in production it is www-data.</summary>
    private static WebServerProgram NobodysNginx { get; } = WebServerProgram.Nginx with
    {
        Configure = static (directory, endPoint, site) => WebServerProgram.Nginx.Configure(directory, endPoint, site)
            .Replace("user root;", "user nobody nogroup;", StringComparison.Ordinal),
    };
}
