namespace FastCgi.FuzzTests.Model;

/// <summary>The records that begin, feed and end requests.</summary>
internal sealed partial class ConversationModel
{
    /// <summary>One request, which the end of the connection answers.</summary>
    private void BeginScgi()
    {
        var script = _conversation.Scripts[0];
        var request = new ModelRequest(script.Id, keep: false, certain: true);
        _requests.Add(request);
        IsUncertain = true;
        request.Script = script;
        request.AppendBody(script.Body);
        OnScript(request, script);
        if (!_conversation.IsClean || script.LeavesBody)
        {
            Doubt();
        }

        _waits.AddRange(_conversation.Stops.Select(
            stop => new Wait(stop.Position, stop.Id, Answers: 1, IsCertain: request.IsCertain)));
    }

    private void OnBegin(Header header, ReadOnlySpan<byte> content)
    {
        if (header.Length != 8)
        {
            Drop();
            return;
        }

        if (_open.TryGetValue(header.Id, out var other))
        {
            if (other is { IsCertain: true, Stage: < Stage.Complete, IsWhole: false })
            {
                Drop();
                return;
            }

            // In use or free again: dropped or served.
            Doubt();
        }

        if (content.Length < 8)
        {
            return;
        }

        var role = (content[0] << 8) | content[1];
        var request = new ModelRequest(header.Id, (content[2] & 1) != 0, certain: !IsUncertain);
        _requests.Add(request);
        if (role is not (1 or 2))
        {
            request.IsRefused = true;
            End(request);
            return;
        }

        _open[header.Id] = request;
        if (role == 2)
        {
            // The scripts are those of responders.
            request.IsAuthorizer = true;
            request.IsCertain = false;
            IsUncertain = true;
        }
    }

    private void OnParams(Header header, ReadOnlySpan<byte> content)
    {
        if (!_open.TryGetValue(header.Id, out var request) || request.Stage != Stage.Params)
        {
            return;
        }

        if (header.Length > 0)
        {
            if (!request.AppendParams(content, _conversation.Scripts))
            {
                Stray(request);
            }

            return;
        }

        request.EndParams();
        request.Stage = Stage.Body;
        if (request.Script is not { } script)
        {
            Stray(request);
            if (_conversation.Scripts.Exists(
                script => (script.Reads == Reading.Echo || script.MayTear || script.IsWild) && request.MayBe(script)))
            {
                // Of a length that nobody knows: it may break off, and take the connection with it.
                MayTear = true;
                Doubt();
            }

            return;
        }

        OnScript(request, script);
        if (script is { DeclaresLength: true, BodyLength: 0 })
        {
            Complete(request);
        }
    }

    private void OnScript(ModelRequest request, Script script)
    {
        request.ErrorStatus = script.Fails switch
        {
            Failing.BeforeStart or Failing.InOnStarting => 500,
            // Bytes that are not UTF-8 are a bad request to a server without selectors.
            Failing.InRequestSelector => _hasSelectors ? 500 : 400,
            Failing.InResponseSelector when _hasSelectors => 500,
            _ => null,
        };
        if (script.MayTear || script.IsWild || script.IsRefused)
        {
            request.IsCertain = false;
            MayTear = true;
            Doubt();
        }
        else if (script.LeavesBody)
        {
            // It may be answered, and after a moment of silence its connection closed, while the body arrives.
            request.IsCertain = false;
            IsUncertain = true;
        }
    }

    private void OnStdin(Header header, ReadOnlySpan<byte> content)
    {
        if (!_open.TryGetValue(header.Id, out var request))
        {
            return;
        }

        switch (request.Stage)
        {
            case Stage.Params when request.IsCertain:
                Drop();
                break;
            case Stage.Params:
                // Too early for a request that is there; nothing to one that was refused already.
                Doubt();
                break;
            case Stage.Body when header.Length == 0:
                request.BodyEnded = true;
                Complete(request);
                if (request.IsShort && request.Script!.Reads == Reading.Echo)
                {
                    // The response breaks off where it had begun, and takes the connection with it.
                    MayTear = true;
                    Doubt();
                }

                break;
            case Stage.Body:
                request.AppendBody(content);
                IsUncertain |= request.IsWhole && !request.Keep;
                break;
        }
    }

    private void OnAbort(int id)
    {
        if (_open.TryGetValue(id, out var request))
        {
            request.IsAborted = true;
            End(request);
        }
    }

    private void Complete(ModelRequest request)
    {
        request.Stage = Stage.Complete;
        IsUncertain |= !request.Keep;
    }

    private void End(ModelRequest request)
    {
        request.Stage = Stage.Ended;
        _open.Remove(request.Id);
        IsUncertain |= !request.Keep;
    }

    private void Stray(ModelRequest request)
    {
        request.IsCertain = false;
        IsUncertain = true;
        _hasStrays = true;
    }

    /// <summary>Whatever is not confirmed may be lost from here on.</summary>
    private void Doubt()
    {
        MayBeDropped = true;
        IsUncertain = true;
        LeastManagement = 0;
        foreach (var request in _requests.Where(request => !request.IsConfirmed))
        {
            request.IsCertain = false;
        }
    }

    /// <summary>A protocol violation: the server closes, and reads nothing that follows.</summary>
    private void Drop()
    {
        Doubt();
        IsAlive = false;
    }
}
