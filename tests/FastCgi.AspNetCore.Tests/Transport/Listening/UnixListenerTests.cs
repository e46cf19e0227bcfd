using System.Runtime.InteropServices;

namespace FastCgi.AspNetCore.Tests.Transport.Listening;

[SupportedOSPlatform("linux")]
public sealed partial class UnixListenerTests : IDisposable
{
    private const UnixFileMode OwnerAlone = UnixFileMode.UserRead | UnixFileMode.UserWrite;
    private const UnixFileMode OwnerAndGroup = (UnixFileMode)0b110_110_000;

    private readonly LogRecorder _log = new();
    private readonly string _directory = Directory.CreateTempSubdirectory("fcgi").FullName;

    private ILogger Logger => _log.CreateLogger("listener");

    private string SocketPath => Path.Combine(_directory, "app.sock");

    public void Dispose() => Directory.Delete(_directory, recursive: true);

    [Fact]
    public void Nobody_can_connect_before_the_mode_is_set()
    {
        // Mode and owner are set here; only then does the caller listen.
        var (target, bound, _) = BindOnly();
        using var starting = bound;

        Assert.Equal(OwnerAndGroup, File.GetUnixFileMode(SocketPath));
        using var peer = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        var refused = Assert.Throws<SocketException>(() => peer.Connect(target.EndPoint!));
        Assert.Equal(SocketError.ConnectionRefused, refused.SocketErrorCode);
    }

    [Fact]
    public async Task A_socket_of_an_instance_that_starts_and_does_not_listen_yet_is_left_alone()
    {
        var (target, bound, file) = BindOnly();
        using var ending = bound;
        using var starting = file;

        AssertRefused("another instance is starting there", $"{SocketPath}.lock");

        bound.Listen();
        file.ThrowIfReplaced(target);
        using var peer = await ListenerTests.ConnectAsync(target.EndPoint!);
    }

    [Fact]
    public async Task The_lock_leaves_with_the_socket_and_the_next_instance_binds_while_this_one_drains()
    {
        using var first = Bind();
        Assert.Equal(SocketPath, first.LocalEndPoint.ToString());
        await ListenerTests.AcceptOneAsync(first);
        Assert.True(File.Exists(SocketPath));
        Assert.Equal(OwnerAlone, File.GetUnixFileMode(SocketPath + ".lock"));

        await first.StopAsync().Within("the stop");
        Assert.Empty(Directory.EnumerateFileSystemEntries(_directory));
        using (var next = Bind())
        {
            using var peer = await ListenerTests.ConnectAsync(next.LocalEndPoint);
        }

        Assert.Empty(Directory.EnumerateFileSystemEntries(_directory));
        _log.AssertNoUnexpectedErrors();
    }

    [Fact]
    public async Task A_lock_that_a_dead_process_left_is_taken_over_and_without_one_the_instance_starts_and_says_so()
    {
        File.WriteAllText(SocketPath + ".lock", "");
        using (Bind())
        {
            Assert.True(File.Exists(SocketPath));
        }

        Directory.CreateDirectory(SocketPath + ".lock");
        using var listener = Bind();

        await _log.WaitForAsync(LogEvents.SocketNotLocked);
        Assert.True(File.Exists(SocketPath));
    }

    [Fact]
    public void A_socket_that_is_removed_before_it_listens_fails_the_start()
    {
        var (target, bound, file) = BindOnly();
        using var ending = bound;
        File.Delete(SocketPath);
        bound.Listen();

        var failure = Assert.Throws<IOException>(() => file.ThrowIfReplaced(target));

        Assert.Contains("removed the new socket", failure.Message, StringComparison.Ordinal);
        file.Remove(Logger);
        Assert.Empty(Directory.EnumerateFileSystemEntries(_directory));
    }

    [Fact]
    public async Task The_stop_of_an_instance_whose_file_was_removed_leaves_socket_and_lock_of_the_next_one()
    {
        using var first = Bind();
        File.Delete(SocketPath);
        using var next = Bind();

        await first.StopAsync().Within("the stop");

        AssertRefused("address already in use");
        Assert.True(File.Exists(SocketPath));
        Assert.True(File.Exists(SocketPath + ".lock"));
        using var peer = await ListenerTests.ConnectAsync(next.LocalEndPoint);
    }

    [Fact]
    public void A_socket_whose_backlog_is_full_counts_as_answered()
    {
        using var busy = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        busy.Bind(new UnixDomainSocketEndPoint(SocketPath));
        busy.Listen(0);
        using var waiting = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        waiting.Connect(new UnixDomainSocketEndPoint(SocketPath));

        AssertRefused("address already in use");
        Assert.True(File.Exists(SocketPath));
    }

    [Fact]
    public void A_symbolic_link_that_leads_nowhere_is_left_alone()
    {
        File.CreateSymbolicLink(SocketPath, Path.Combine(_directory, "nothing"));

        Assert.Throws<IOException>(() => Bind());

        Assert.NotNull(new FileInfo(SocketPath).LinkTarget);
    }

    [Theory]
    [InlineData(107, true)]
    [InlineData(108, false)]
    [HardInput("E1")]
    public void A_path_longer_than_the_system_allows_is_refused_with_its_length(int length, bool isAllowed)
    {
        var path = Path.Combine(_directory, new string('s', length - _directory.Length - 1));
        if (isAllowed)
        {
            using var listener = SocketListener.Bind(Target(path), Logger);
            Assert.True(File.Exists(path));
            return;
        }

        var failure = Assert.Throws<ArgumentException>(() => UnixSocketPath.Parse(path));
        Assert.Contains($"{length} bytes", failure.Message, StringComparison.Ordinal);
    }

    /// <summary>
    /// A process that may write to the folder puts something else in the place of the new socket, again and again: a
    /// symbolic link to a private file, or another socket.
    /// </summary>
    [Theory, InlineData(true), InlineData(false)]
    public async Task What_another_process_puts_in_the_place_of_the_socket_keeps_its_mode(bool isLink)
    {
        var victim = Path.Combine(_directory, "victim");
        using var other = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        if (isLink)
        {
            File.WriteAllText(victim, "private");
        }
        else
        {
            other.Bind(new UnixDomainSocketEndPoint(victim));
            other.Listen();
        }

        File.SetUnixFileMode(victim, UnixFileMode.UserRead);
        using var end = new CancellationTokenSource();
        var attack = Task.Factory.StartNew(
            () => Attack(victim, isLink, end.Token), end.Token, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        for (var i = 0; i < 300; i++)
        {
            try
            {
                using var listener = Bind(target => target with { Access = new SocketAccess { Mode = OwnerAndGroup } });
            }
            catch (IOException)
            {
            }

            Assert.Equal(UnixFileMode.UserRead, File.GetUnixFileMode(victim));
        }

        await end.CancelAsync();
        await attack.Within("the end of the attack");
    }

    [Theory]
    [InlineData("file")]
    [InlineData("link to a file")]
    [InlineData("link to the socket")]
    [InlineData("socket")]
    [InlineData("second name of a socket")]
    [InlineData("nothing")]
    public void Only_the_file_that_the_socket_was_bound_to_is_opened(string replacement)
    {
        var elsewhere = Path.Combine(_directory, "elsewhere");
        using var bound = BindFile(out var opened);
        using (opened)
        {
            Assert.NotNull(UnixSocketDiagnosis.ReadFileInode(bound));
            UnixSocketFile.Apply(opened, SocketPath, new SocketAccess { Mode = OwnerAndGroup });
            Assert.Equal(OwnerAndGroup, File.GetUnixFileMode(SocketPath));
        }

        File.Move(SocketPath, elsewhere);
        using var other = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        switch (replacement)
        {
            case "file":
                File.WriteAllText(SocketPath, "");
                break;
            case "link to a file":
                File.WriteAllText(elsewhere + ".txt", "");
                File.CreateSymbolicLink(SocketPath, elsewhere + ".txt");
                break;
            case "link to the socket":
                File.CreateSymbolicLink(SocketPath, elsewhere);
                break;
            case "socket":
                other.Bind(new UnixDomainSocketEndPoint(SocketPath));
                break;
            case "second name of a socket":
                other.Bind(new UnixDomainSocketEndPoint(elsewhere + ".other"));
                Assert.Equal(0, HardLink(elsewhere + ".other", SocketPath));
                break;
        }

        var failure = Assert.Throws<IOException>(() => UnixSocketFile.OpenBound(SocketPath, bound));

        Assert.Contains(SocketPath, failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_lock_that_is_a_symbolic_link_is_refused_and_not_followed()
    {
        var elsewhere = Path.Combine(_directory, "elsewhere");
        File.CreateSymbolicLink(SocketPath + ".lock", elsewhere);

        AssertRefused($"{SocketPath}.lock", "symbolic link");

        Assert.False(File.Exists(elsewhere));
        Assert.False(File.Exists(SocketPath));
    }

    [Fact]
    public void A_symbolic_link_that_was_put_in_the_place_of_the_socket_fails_the_change_of_its_mode()
    {
        var victim = Path.Combine(_directory, "victim");
        File.WriteAllText(victim, "private");
        File.SetUnixFileMode(victim, UnixFileMode.UserRead);
        using var listener = Bind();
        File.Delete(SocketPath);
        File.CreateSymbolicLink(SocketPath, victim);

        Assert.Throws<IOException>(() => listener.ChangeAccess(new SocketAccess { Mode = OwnerAndGroup }));

        Assert.Equal(UnixFileMode.UserRead, File.GetUnixFileMode(victim));
    }

    [Fact]
    public void Owner_and_group_are_taken_by_name_and_by_number()
    {
        Assert.SkipUnless(Environment.IsPrivilegedProcess, "Only root gives files away.");

        using (Bind(target => target with { Access = new(Mode: null, "root", "root") }))
        {
        }

        using var listener = Bind(target => target with { Access = new(Mode: null, "65534", "65534") });
        Assert.True(File.Exists(SocketPath));
    }

    /// <summary>The web server's group would open the sockets of other applications to the process.</summary>
    [Fact]
    public void A_group_that_the_process_may_not_give_names_the_ways_without_being_in_it()
    {
        File.SetUnixFileMode(_directory, (UnixFileMode)0b111_111_111);
        // Root may give files away. Without its user for files, a thread of root may not.
        var user = SetFileUser(65534);
        try
        {
            var failure = AssertRefused(
                Target(SocketPath) with { Access = new SocketAccess { Group = "12345" } },
                $"-m 2750 {_directory}'", "SocketGroup=", "SystemCallFilter=@chown");
            Assert.DoesNotContain("user to that group", failure.Message, StringComparison.Ordinal);
        }
        finally
        {
            _ = SetFileUser(user);
        }
    }

    [Theory]
    [InlineData("no-such-user", null, "There is no user \"no-such-user\"")]
    [InlineData(null, "no-such-group", "There is no group \"no-such-group\"")]
    public void An_unknown_owner_or_group_is_named_and_nothing_is_left_behind(
        string? owner, string? group, string expected)
    {
        AssertRefused(Target(SocketPath) with { Access = new SocketAccess { Owner = owner, Group = group } }, expected);
        Assert.False(File.Exists(SocketPath));
    }

    [Theory]
    [InlineData("no-such-user", null)]
    [InlineData(null, "no-such-group")]
    public void A_change_to_an_unknown_owner_or_group_leaves_the_mode_alone(string? owner, string? group)
    {
        using var bound = BindFile(out var opened);
        using var ending = opened;
        UnixSocketFile.Apply(opened, SocketPath, new SocketAccess { Mode = OwnerAlone });

        Assert.Throws<IOException>(() => UnixSocketFile.Apply(
            opened,
            SocketPath,
            new SocketAccess { Mode = OwnerAndGroup, Owner = owner, Group = group }));

        Assert.Equal(OwnerAlone, File.GetUnixFileMode(SocketPath));
    }

    /// <summary>A socket that listens is open to its old group until it has the new one.</summary>
    [Fact]
    public void A_group_gets_no_rights_before_the_socket_has_the_new_one()
    {
        const int Nobody = 65534;
        Assert.SkipUnless(Environment.IsPrivilegedProcess, "Only root can act as another user.");
        using var bound = BindFile(out var opened);
        using var ending = opened;
        UnixSocketFile.Apply(
            opened, SocketPath, new SocketAccess { Mode = OwnerAlone, Owner = $"{Nobody}" });

        // The owner may change the mode, and may not give the file to a group of others.
        _ = SetFileUser(Nobody);
        try
        {
            Assert.Throws<IOException>(() => UnixSocketFile.Apply(
                opened, SocketPath, new SocketAccess { Mode = OwnerAndGroup, Group = "65533" }));
        }
        finally
        {
            _ = SetFileUser(0);
        }

        Assert.Equal(OwnerAlone, File.GetUnixFileMode(SocketPath));
    }

    /// <summary>Moves another name of the victim to where the socket is, as soon as it is there.</summary>
    private void Attack(string victim, bool isLink, CancellationToken end)
    {
        var name = Path.Combine(_directory, "other");
        while (!end.IsCancellationRequested)
        {
            _ = isLink ? SymbolicLink(victim, name) : HardLink(victim, name);
            while (Access(SocketPath, 0) != 0 && !end.IsCancellationRequested)
            {
            }

            _ = Rename(name, SocketPath);
            _ = Unlink(SocketPath);
        }
    }

    [LibraryImport("libc", EntryPoint = "access", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Access(string path, int mode);

    /// <summary>Of the calling thread alone.</summary>
    [LibraryImport("libc", EntryPoint = "setfsuid")]
    private static partial int SetFileUser(int user);

    [LibraryImport("libc", EntryPoint = "rename", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Rename(string from, string to);

    [LibraryImport("libc", EntryPoint = "unlink", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Unlink(string path);

    [LibraryImport("libc", EntryPoint = "symlink", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int SymbolicLink(string target, string path);

    [LibraryImport("libc", EntryPoint = "link", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int HardLink(string existing, string name);

    private static ListenTarget Target(string path) => new(new UnixDomainSocketEndPoint(path));

    private Socket BindFile(out Microsoft.Win32.SafeHandles.SafeFileHandle? opened)
    {
        var bound = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        bound.Bind(new UnixDomainSocketEndPoint(SocketPath));
        opened = UnixSocketFile.OpenBound(SocketPath, bound);
        return bound;
    }

    private SocketListener Bind(Func<ListenTarget, ListenTarget>? change = null)
    {
        var target = Target(SocketPath);
        return SocketListener.Bind(change is null ? target : change(target), Logger);
    }

    /// <summary>Bound, and not listening yet.</summary>
    private (ListenTarget Target, Socket Bound, UnixSocketFile File) BindOnly()
    {
        var target = Target(SocketPath) with { Access = new SocketAccess { Mode = OwnerAndGroup } };
        var bound = UnixSocketFile.Bind(target, Logger, out var file);
        return (target, bound, file!);
    }

    private void AssertRefused(params string[] reasons) => AssertRefused(Target(SocketPath), reasons);

    private IOException AssertRefused(ListenTarget target, params string[] reasons)
    {
        var failure = Assert.Throws<IOException>(() => SocketListener.Bind(target, Logger));
        Assert.All(reasons, reason => Assert.Contains(reason, failure.Message, StringComparison.Ordinal));
        return failure;
    }
}
